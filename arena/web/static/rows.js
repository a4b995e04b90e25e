// Owns a list that changes while it is looked at: rows come from the server as they are to stand, and move to their
// places calmly. What is not theirs to move, the focus and the page's scroll, stays.
"use strict";
(function (arena) {
  const { localTimes } = arena.dom;
  const MOVE_MS = 700;
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

  // Follows the list `body`; `onTold(told, before)` is called after each change, `before` being the old rows by key.
  const watchRows = (body, onTold) => {
    const { events, since } = body.dataset;

    const put = (told) => {
      const before = new Map([...body.children].map((row) => [row.dataset.key, row]));
      if (told.order.some((key) => !(key in told.rows) && !before.has(key))) return location.reload();
      const tops = new Map([...before].map(([key, row]) => [key, row.getBoundingClientRect().top]));
      const focused = focusIn(body);
      told.order.forEach((key, at) => {
        const row = key in told.rows ? parse(told.rows[key]) : before.get(key);
        if (row !== before.get(key)) before.get(key)?.replaceWith(row);
        if (body.children[at] !== row) body.insertBefore(row, body.children[at] ?? null);
      });
      while (body.children.length > told.order.length) body.lastElementChild.remove();
      focused?.();
      localTimes();
      for (const row of body.children) glide(row, tops.get(row.dataset.key));
      onTold(told, before);
    };

    arena.stream(events, { state: put, change: put }, { since, sign: document.getElementById("live") });
  };

  const parse = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html; // made and escaped by the server's templates, as the page itself is
    return template.content.firstElementChild;
  };

  // Gives the focus back to the same link of the same row, if it was in the list.
  const focusIn = (body) => {
    const at = document.activeElement;
    const row = at?.closest("[data-key]");
    if (!row || !body.contains(row)) return null;
    const index = [...row.querySelectorAll("a, button")].indexOf(at);
    return () => {
      if (body.contains(at)) return at.focus({ preventScroll: true });
      const now = [...body.children].find(({ dataset }) => dataset.key === row.dataset.key);
      now?.querySelectorAll("a, button")[index]?.focus({ preventScroll: true });
    };
  };

  const glide = (row, top) => {
    if (top === undefined || isCalm.matches) return;
    const by = top - row.getBoundingClientRect().top;
    if (Math.abs(by) < 1) return;
    row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: MOVE_MS, easing: "ease-in-out" });
  };

  arena.watchRows = watchRows;
})((globalThis.arena ??= {}));
