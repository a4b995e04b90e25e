// Owns the page of one match of a report: which one the address asks for.
"use strict";
(function (arena) {
  const { make } = arena.dom;

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
    arena.matchView(arena.replay.decode(entry, arena.run), arena.run.name);
  };

  start();
})((globalThis.arena ??= {}));
