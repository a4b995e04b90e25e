// Owns how elements are made and how numbers and times read: text only, never markup.
"use strict";
(function (arena) {
  const MINUS = "\u2212";

  // An element with attributes (`class`, `href`, ...; false and null are left out), listeners (`onclick`) and
  // children; a string among them becomes text.
  const make = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== false && value !== null) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  };

  // Text that only a screen reader says.
  const spoken = (text) => make("span", { class: "spoken" }, text);

  // Tenths of a point: 4.2, −3.0.
  const points = (tenths) => (tenths / 10).toFixed(1).replace("-", MINUS);

  // "0.42 s", "12 s", "3 min 05 s"; below a tenth of a second in ms.
  const duration = (us) => {
    const seconds = us / 1e6;
    if (seconds >= 60) {
      const whole = Math.round(seconds);
      return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
    }
    if (seconds >= 0.0995) return `${seconds.toFixed(seconds < 9.95 ? 2 : 1)} s`;
    const ms = us / 1000;
    return `${ms.toFixed(ms < 0.995 ? 2 : ms < 9.95 ? 1 : 0)} ms`;
  };

  // In the reader's zone, with the zone.
  const when = (date) =>
    new Intl.DateTimeFormat(undefined, {
      year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
    }).format(date);

  // Every <time datetime> of the page, from UTC to the reader's zone.
  const localTimes = () => {
    for (const time of document.querySelectorAll("time[datetime]")) {
      const date = new Date(time.dateTime);
      if (!Number.isNaN(date.getTime())) time.textContent = when(date);
    }
  };

  arena.dom = { make, spoken, points, duration, when, localTimes };
})((globalThis.arena ??= {}));
