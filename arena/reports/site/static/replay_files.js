// Owns loading replay files. A page opened from disk may not fetch, so each file is a script that hands its matches to
// `arena.replayFile`.
"use strict";
(function (arena) {
  const loaded = new Map();

  arena.replayFile = (number, entries) => loaded.set(number, entries);

  // The entries of a file; rejects when it is not there.
  const loadFile = (number) =>
    new Promise((resolve, reject) => {
      if (loaded.has(number)) return resolve(loaded.get(number));
      const script = document.createElement("script");
      script.src = `replays/${String(number).padStart(5, "0")}.js`;
      script.onload = () => resolve(loaded.get(number) ?? []);
      script.onerror = () => reject(new Error(`${script.src} cannot be read`));
      document.head.append(script);
    });

  const fileOf = (position) => Math.floor(position / arena.run.matches_a_file);

  // The entry of a match by its id, from which its position in the schedule follows; null when there is none.
  const loadEntry = async (id) => {
    const found = /^t\d+-s(\d+)-r([0-3])$/.exec(id);
    if (!found) return null;
    const number = fileOf(4 * +found[1] + +found[2]);
    if (!arena.run.files.includes(number)) return null;
    return (await loadFile(number)).find((entry) => entry[0] === id) ?? null;
  };

  arena.replayFiles = { loadFile, loadEntry };
})((globalThis.arena ??= {}));
