// Owns what a table that is watched and one that is played at have in common: the list of tricks, and small things.
"use strict";
(function (arena) {
  const { make, spoken } = arena.dom;
  const { textOf, nameOf } = arena.cards;
  const { winnerOf } = arena.rules;

  // The tricks of a round so far, a row each, the running one last. A trick is {leader, cards}.
  const trickList = (tricks, names, calls) => [
    make("caption", { class: "spoken" }, "Calls and tricks of this round"),
    make(
      "thead", {},
      make("tr", {}, make("th", { scope: "col" }, spoken("Trick")), ...names.map((name) => make("th", { scope: "col", title: name }, name))),
    ),
    make(
      "tbody", {},
      make("tr", {}, make("th", { scope: "row" }, "call"), ...calls.map((call) => make("td", {}, step(call ? String(call) : "\u00b7")))),
      ...tricks.filter(({ cards }) => cards.length).map(trickRow),
    ),
  ];

  const trickRow = ({ leader, cards }, at) => {
    const winner = cards.length === 4 ? winnerOf(leader, cards) : -1;
    return make(
      "tr", {},
      make("th", { scope: "row" }, String(at + 1)),
      ...[0, 1, 2, 3].map((seat) => {
        const turn = (seat - leader + 4) % 4;
        const card = cards[turn];
        if (!card) return make("td", {}, step("\u00b7"));
        const title = `${nameOf(card)}${turn ? "" : ", led"}${seat === winner ? ", won" : ""}`;
        return make("td", { class: `${seat === winner ? "won" : ""} ${turn ? "" : "led"}` }, step(textOf(card), title));
      }),
    );
  };

  const step = (text, title = "") => make("span", { class: "step", title: title || false }, text);

  // As the reader chose it in a replay.
  const chooseColours = (root) => {
    let kept = null;
    try {
      kept = localStorage.getItem("four-colours");
    } catch {
      // A browser that keeps nothing.
    }
    root.classList.toggle("four-colours", kept === "yes");
  };

  arena.tables = { trickList, chooseColours };
})((globalThis.arena ??= {}));
