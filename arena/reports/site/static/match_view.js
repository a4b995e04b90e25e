// Owns what a page of one match shows once it has the match: the result in words, the scorecard, the replay.
"use strict";
(function (arena) {
  const { when, points } = arena.dom;
  const find = (id) => document.getElementById(id);

  // Fills the page with `match`, which belongs to the run or league `title`.
  const matchView = (match, title) => {
    document.title = `${match.id} \u00b7 ${title}`;
    find("match-id").textContent = match.id;
    const result = match.seats
      .map(({ name }, seat) => ({ name, place: match.places[seat], total: match.totals[seat] }))
      .sort((a, b) => a.place - b.place)
      .map(({ name, total }) => `${name} ${points(total)}`)
      .join(", ");
    find("message").textContent = `${result}. ${when(match.started)}.`;
    find("scorecard").replaceChildren(arena.scorecard(match, { hrefOf: (round) => `#r${round}` }));
    const replay = find("replay");
    const address = location.hash.slice(1);
    find("content").hidden = false;
    arena.replayView(replay, match, address);
    addEventListener("hashchange", () => replay.scrollIntoView({ block: "nearest" }));
    if (address) replay.scrollIntoView();
  };

  arena.matchView = matchView;
})((globalThis.arena ??= {}));
