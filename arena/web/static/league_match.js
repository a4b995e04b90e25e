// Owns the page of a stored match: it fetches the record and shows scorecard and replay in place of the summary.
"use strict";
(function (arena) {
  const find = (id) => document.getElementById(id);

  const start = async () => {
    const { replay, title } = find("content").dataset;
    const message = find("message");
    const kind = message.textContent;
    message.textContent = "Reading the match\u2026";
    try {
      const answer = await fetch(replay);
      if (!answer.ok) throw new Error((await answer.json()).detail);
      const { run, entry } = await answer.json();
      arena.matchView(arena.replay.decode(entry, run), title);
      message.textContent += ` ${kind}`;
      find("summary").hidden = true;
    } catch (trouble) {
      message.textContent = `The replay cannot be read: ${trouble.message}`;
    }
  };

  start();
})((globalThis.arena ??= {}));
