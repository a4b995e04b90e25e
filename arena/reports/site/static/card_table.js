// Owns the card table: four seats, their hands, the trick in the middle. It shows a state (see replay.js) and knows
// neither where the state comes from nor what comes next; with `onCard`, legal cards can be chosen. A card that is
// not known is 0, and lies face down.
"use strict";
(function (arena) {
  const { make, spoken, points } = arena.dom;
  const { face, nameOf, textOf } = arena.cards;
  const { callState } = arena.rules;
  const SIDES = ["bottom", "left", "top", "right"]; // turn order, from the viewer

  // A table inside `root`. `onCard(card)` is called for a legal card of the bottom hand that was chosen.
  const cardTable = (root, { onCard = null } = {}) => {
    const parts = SIDES.map((side) => ({
      plate: make("div", { class: "plate" }),
      hand: make("ol", { class: "hand" }),
      side,
    }));
    const trick = make("ol", { class: "trick" });
    const why = make("p", { class: "why", role: "status" });
    const table = make("div", { class: "card-table", role: "group", "aria-label": "Card table" });
    table.append(
      ...parts.map(({ plate, hand, side }) => make("div", { class: `place ${side}` }, plate, hand)),
      make("div", { class: "middle" }, trick),
      why,
    );
    root.replaceChildren(table);

    const show = (state, { seat: viewer = 0, isClosed = false } = {}) => {
      why.textContent = "";
      for (const [turn, part] of parts.entries()) {
        const seat = (viewer + turn) % 4;
        drawPlate(part.plate, state, seat);
        const isOpen = !isClosed || seat === viewer;
        const choose = onCard && turn === 0 && !state.isCalling ? onCard : null;
        drawHand(part.hand, state, seat, { isOpen, choose, why });
      }
      drawTrick(trick, state, viewer);
    };
    return { show };
  };

  const drawPlate = (plate, state, seat) => {
    const { name } = state.seats[seat];
    const call = state.calls[seat];
    const won = state.tricksWon[seat];
    const standing = call ? callState(call, won, state.left, state.rules) : "open";
    const mark = { made: " \u2713", lost: " \u2717", open: "" }[standing];
    const isTurn = state.turn === seat;
    plate.classList.toggle("turn", isTurn);
    plate.replaceChildren(
      make("span", { class: "name", title: name }, name),
      make(
        "span", { class: `call ${standing}`, title: "call / tricks" },
        spoken("call "), call ? `${call} / ${won}` : "\u2013", spoken(` tricks, ${standing}`), mark,
      ),
      seat === state.dealer ? make("abbr", { class: "dealer", title: "dealer" }, "D") : "",
      make("span", { class: "score", title: "points so far" }, points(state.scores[seat]), spoken(" points")),
      state.forfeited[seat] ? make("span", { class: "bad" }, "forfeited") : "",
      isTurn ? spoken(state.isCalling ? ", to call" : ", to play") : "",
    );
  };

  const drawHand = (hand, state, seat, { isOpen, choose, why }) => {
    const cards = state.hands[seat];
    hand.setAttribute("aria-label", `Hand of ${state.seats[seat].name}, ${cards.length} cards`);
    hand.style.setProperty("--cards", cards.length);
    const reasons = isOpen && state.turn === seat ? state.reasons : null;
    hand.replaceChildren(
      ...cards.map((card, index) => {
        const drawn = isOpen && card ? faceUp(card, reasons?.get(card), { choose, why }) : make("li", { class: "card back" });
        drawn.style.setProperty("--index", index - (cards.length - 1) / 2);
        return drawn;
      }),
    );
  };

  // `reason` is undefined when it is not this hand's turn, "" for a card that may be played.
  const faceUp = (card, reason, { choose, why }) => {
    if (reason === undefined) return make("li", { class: "card" }, face(card), spoken(nameOf(card)));
    if (reason === "") {
      const shown = [face(card), spoken(`${nameOf(card)}, may be played`)];
      const chosen = choose && make("button", { type: "button", onclick: () => choose(card) }, ...shown);
      return make("li", { class: "card legal" }, ...(chosen ? [chosen] : shown));
    }
    const tell = () => (why.textContent = `${textOf(card)} may not be played: ${reason}`);
    const hush = () => (why.textContent = "");
    return make(
      "li",
      { class: "card illegal", tabindex: 0, onpointerenter: tell, onfocus: tell, onpointerleave: hush, onblur: hush },
      face(card), spoken(`${nameOf(card)}, may not be played: ${reason}`),
    );
  };

  const drawTrick = (list, state, viewer) => {
    const { leader, cards, winner } = state.trick;
    list.setAttribute("aria-label", state.isCalling ? "Calls" : "Trick");
    const side = (seat) => SIDES[(seat - viewer + 4) % 4];
    const name = (seat) => state.seats[seat].name;
    if (!cards.length) {
      const called = [0, 1, 2, 3].filter((seat) => state.calls[seat]);
      list.replaceChildren(
        ...called.map((seat) =>
          make("li", { class: `said ${side(seat)}` }, spoken(`${name(seat)} calls `), String(state.calls[seat])),
        ),
      );
      return;
    }
    list.replaceChildren(
      ...cards.map((card, turn) => {
        const seat = (leader + turn) % 4;
        const won = seat === winner;
        const said = `${name(seat)} ${turn ? "plays" : "leads"} the ${nameOf(card)}${won ? ", and wins" : ""}`;
        return make("li", { class: `card ${side(seat)}${won ? " won" : ""}` }, face(card), spoken(said));
      }),
    );
  };

  arena.cardTable = cardTable;
})((globalThis.arena ??= {}));
