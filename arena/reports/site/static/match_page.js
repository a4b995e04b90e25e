// Owns the page of one match: which one the address asks for, its scorecard and its replay.
"use strict";
(function (arena) {
  const { make, when, points } = arena.dom;

  const start = async () => {
    const id = decodeURIComponent(location.search.slice(1));
    const message = document.getElementById("message");
    let entry = null;
    try {
      entry = id ? await arena.replayFiles.loadEntry(id) : null;
    } catch (trouble) {
      message.textContent = `${trouble.message}. Is the report complete?`;
      return;
    }
    if (!entry) {
      message.replaceChildren(
        id ? `This report has no match ${id}. ` : "No match was asked for. ",
        make("a", { href: "matches.html" }, "See all matches"), ".",
      );
      return;
    }
    show(arena.replay.decode(entry, arena.run), message);
  };

  const show = (match, message) => {
    document.title = `${match.id} \u00b7 ${arena.run.name}`;
    document.getElementById("match-id").textContent = match.id;
    const result = match.seats
      .map(({ name }, seat) => ({ name, place: match.places[seat], total: match.totals[seat] }))
      .sort((a, b) => a.place - b.place)
      .map(({ name, total }) => `${name} ${points(total)}`)
      .join(", ");
    message.textContent = `${result}. ${when(match.started)}.`;
    document.getElementById("scorecard").replaceChildren(
      arena.scorecard(match, { hrefOf: (round) => `#r${round}` }),
    );
    const replay = document.getElementById("replay");
    const address = location.hash.slice(1);
    document.getElementById("content").hidden = false;
    arena.replayView(replay, match, address);
    addEventListener("hashchange", () => replay.scrollIntoView({ block: "nearest" }));
    if (address) replay.scrollIntoView();
  };

  start();
})((globalThis.arena ??= {}));
