// Owns the leaderboard as it moves: who rose, who fell, who leads.
"use strict";
(function (arena) {
  const { make } = arena.dom;
  const find = (id) => document.getElementById(id);
  const SHOWN_MS = 20000;
  const body = find("rows");
  const placeOf = (row) => parseInt(row.querySelector(".place").textContent, 10) || 0;

  const told = (news, before) => {
    if (news.season !== body.dataset.season || news.state !== body.dataset.state) return location.reload();
    find("matches").textContent = String(news.matches).replace(/\B(?=(\d{3})+$)/g, "\u2009");
    find("board").hidden = !news.order.length;
    find("invitation").hidden = news.has_guests;
    news.order.forEach((key, at) => place(body.children[at], news.places[at], news.rules.includes(key)));
    const leader = body.firstElementChild;
    const was = [...before.values()][0];
    if (leader && was && leader.dataset.key !== was.dataset.key)
      find("said").textContent = `${leader.querySelector(".name a").textContent} leads now`;
  };

  // Rows come without their places, which change with every bot that passes. "▲ 2" beside the place of one that rose
  // by two, for a while.
  const places = new Map([...body.children].map((row) => [row.dataset.key, placeOf(row)]));
  const place = (row, now, hasRule) => {
    const was = places.get(row.dataset.key);
    const cell = row.querySelector(".place");
    places.set(row.dataset.key, now);
    row.classList.toggle("ends-block", hasRule);
    if (placeOf(row) === now && cell.firstChild) return;
    cell.textContent = now || "-";
    const by = was && now ? was - now : 0;
    if (!by) return;
    const [sign, word] = by > 0 ? ["\u25b2", "up"] : ["\u25bc", "down"];
    const moved = make("span", { class: `moved ${word}`, role: "img", "aria-label": `${word} ${Math.abs(by)}` }, `${sign}${Math.abs(by)}`);
    cell.append(moved);
    setTimeout(() => moved.remove(), SHOWN_MS);
  };

  arena.watchRows(body, told);
})((globalThis.arena ??= {}));
