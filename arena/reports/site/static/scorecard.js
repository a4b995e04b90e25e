// Owns the scorecard: a whole match in one table.
"use strict";
(function (arena) {
  const { make, points, spoken } = arena.dom;

  // A table of rounds by seats. `hrefOf(round)` is where a round's number leads.
  const scorecard = (match, { hrefOf }) =>
    make(
      "table", { class: "scorecard" },
      make("caption", {}, "Call / tricks, points, and the total so far"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Round"), ...match.seats.map(header))),
      make("tbody", {}, ...match.rounds.map((round) => row(round, hrefOf(round.number)))),
      make(
        "tfoot", {},
        foot("Total", match.totals.map(points)),
        foot("Place", match.places.map((place, seat) => placeText(place, match.seats[seat]))),
      ),
    );

  const header = ({ name, page, version }, seat) =>
    make(
      "th", { scope: "col" },
      page ? make("a", { href: page, title: name }, name) : make("b", { title: name }, name), // a person has no page
      make("span", { class: "soft version" }, ` ${version}`),
      make("br"),
      make("span", { class: "soft" }, `seat ${seat}`),
    );

  const row = (round, href) =>
    make(
      "tr", { "data-round": round.number },
      make("th", { scope: "row" }, make("a", { href }, String(round.number))),
      ...round.calls.map((call, seat) => {
        const score = round.scores[seat];
        return make(
          "td", {},
          make("span", { class: "call-tricks" }, spoken("called "), `${call} / ${round.tricksWon[seat]}`),
          make("span", { class: `score ${score < 0 ? "bad" : "good"}` }, `${score < 0 ? "" : "+"}${points(score)}`),
          make("span", { class: "soft" }, points(round.after[seat])),
        );
      }),
    );

  const foot = (name, cells) =>
    make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, cell)));

  const placeText = (place, { forfeited }) => (forfeited ? `${place}, forfeited` : String(place));

  arena.scorecard = scorecard;
})((globalThis.arena ??= {}));
