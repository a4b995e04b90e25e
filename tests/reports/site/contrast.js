// Texts of the page whose contrast is below WCAG AA: 4.5, or 3 for large text. What is greyed out may be less.
() => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const mixed = (colours) => {
    context.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const colours = [];
    for (let at = element; at; at = at.parentElement) colours.unshift(getComputedStyle(at).backgroundColor);
    return colours;
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest("[hidden], .spoken, :disabled, .illegal, noscript"))
      continue;
    const style = getComputedStyle(element);
    const isDrawn = element instanceof SVGElement;
    const ground = behind(element);
    const [front, back] = [[...ground, isDrawn ? style.fill : style.color], ground].map(mixed).map(luminance);
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
    if (contrast < (isLarge ? 3 : 4.5)) faint.push({ text: node.data.trim(), contrast, in: element.outerHTML.slice(0, 120) });
  }
  return faint;
}
