// Owns the leaderboard as it moves: who rose, who fell, who leads.
"use strict";
(function (arena) {
  const { make } = arena.dom;
  const find = (id) => document.getElementById(id);
  const SHOWN_MS = 20000;
  const body = find("rows");

  const told = (news, before) => {
    if (news.season !== body.dataset.season || news.state !== body.dataset.state) return location.reload();
    find("matches").textContent = String(news.matches).replace(/\B(?=(\d{3})+$)/g, "\u2009");
    find("board").hidden = !news.order.length;
    find("invitation").hidden = news.has_guests;
    for (const row of body.children) mark(row, before.get(row.dataset.key));
    const leader = body.firstElementChild;
    const was = [...before.values()][0];
    if (leader && was && leader.dataset.key !== was.dataset.key)
      find("said").textContent = `${leader.querySelector(".name a").textContent} leads now`;
  };

  // "▲ 2" beside the place of a bot that rose by two, for a while.
  const mark = (row, was) => {
    const by = was && row !== was ? was.dataset.place - row.dataset.place : 0;
    if (!by || !+was.dataset.place || !+row.dataset.place) return;
    const [sign, word] = by > 0 ? ["\u25b2", "up"] : ["\u25bc", "down"];
    const moved = make("span", { class: `moved ${word}`, role: "img", "aria-label": `${word} ${Math.abs(by)}` }, `${sign}${Math.abs(by)}`);
    row.querySelector(".place").append(moved);
    setTimeout(() => moved.remove(), SHOWN_MS);
  };

  arena.watchRows(body, told);
})((globalThis.arena ??= {}));
