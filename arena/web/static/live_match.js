// Owns the page of a match in play: the card table as spectators see it, all hands face down.
"use strict";
(function (arena) {
  const { make } = arena.dom;
  const { textOf } = arena.cards;
  const { winnerOf } = arena.rules;
  const find = (id) => document.getElementById(id);
  const section = find("table");
  const table = arena.cardTable(find("felt"));
  const names = (match) => match.seats.map(({ name }) => name);
  let viewer = 0;
  let last = null;

  // What the card table shows: a card that is in a hand is nobody's business.
  const stateOf = (match) => {
    const running = match.trick.cards.length ? match.trick : (match.tricks.at(-1) ?? match.trick);
    const isWhole = running.cards.length === 4;
    const held = (seat) => 13 - match.tricks.length - ((seat - match.trick.leader + 4) % 4 < match.trick.cards.length);
    return {
      hands: [0, 1, 2, 3].map((seat) => Array(held(seat)).fill(0)),
      calls: match.calls,
      tricksWon: match.tricks_won,
      scores: match.totals_tenths,
      forfeited: [false, false, false, false],
      trick: { leader: running.leader, cards: running.cards, winner: isWhole ? winnerOf(running.leader, running.cards) : -1 },
      turn: match.is_over ? -1 : match.turn,
      dealer: match.dealer,
      left: 13 - match.tricks.length,
      isCalling: match.calls.includes(0),
      isOver: match.is_over,
      seats: match.seats,
      rules: match.rules,
      reasons: null,
    };
  };

  const wordsOf = (match) => {
    if (match.is_over) {
      const order = [0, 1, 2, 3].sort((a, b) => match.places[a] - match.places[b]);
      return `The match is over: ${order.map((seat) => `${match.places[seat]}. ${names(match)[seat]}`).join(", ")}`;
    }
    const { leader, cards } = match.trick;
    if (cards.length) {
      const seat = (leader + cards.length - 1) % 4;
      return `${names(match)[seat]} ${cards.length === 1 ? "leads" : "plays"} ${textOf(cards.at(-1))}`;
    }
    const before = match.tricks.at(-1);
    if (before) return `${names(match)[before.winner]} wins the trick`;
    const called = match.calls.filter(Boolean).length;
    const seat = (match.dealer + called) % 4;
    return called ? `${names(match)[seat]} calls ${match.calls[seat]}` : `${names(match)[match.dealer]} deals`;
  };

  const show = (match) => {
    if (match.isGone) return leave(match.next);
    last = match;
    find("message").hidden = true;
    section.hidden = false;
    table.show(stateOf(match), { seat: viewer });
    find("where").textContent = `Round ${match.round} of ${match.rounds}`;
    find("words").replaceChildren(make("p", { class: "did" }, wordsOf(match)));
    find("tricks").replaceChildren(...arena.tables.trickList([...match.tricks, match.trick], names(match), match.calls));
  };

  const leave = (next) => {
    stream.close();
    const message = find("message");
    message.hidden = false;
    message.replaceChildren(
      "This match is no longer on view. ",
      ...(last?.kind === "person" ? [] : [make("a", { href: next }, "Its page"), " \u00b7 "]),
      make("a", { href: "/live" }, "Matches in play"),
    );
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !"1234".includes(event.key) || !last) return;
    viewer = +event.key - 1;
    show(last);
  });
  arena.tables.chooseColours(section);
  const stream = arena.stream(section.dataset.events, { state: show, gone: () => leave(section.dataset.page) }, { sign: find("live") });
})((globalThis.arena ??= {}));
