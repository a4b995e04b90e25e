// Owns what a card is called and how it is drawn; knows no rules and no match.
//
// A card is a number, suit * 16 + rank: suits 1-4 are clubs, diamonds, hearts, spades, ranks 2-14 two to ace.
"use strict";
(function (arena) {
  const SVG = "http://www.w3.org/2000/svg";
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const SUITS = ["", "clubs", "diamonds", "hearts", "spades"];
  const SYMBOLS = ["", "\u2663", "\u2666", "\u2665", "\u2660"];
  const RANKS = ["", "", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king", "ace"];
  // In a 32 x 32 box.
  const PIPS = [
    "",
    "M16 2a6.6 6.6 0 0 1 5.7 9.9A6.6 6.6 0 1 1 17.3 22.5c.3 3.2 1.5 5.6 3.9 7.5H10.8c2.4-1.9 3.6-4.3 3.9-7.5" +
      "A6.6 6.6 0 1 1 10.3 11.9 6.6 6.6 0 0 1 16 2z",
    "M16 1.5C19 7 23 12 27.5 16 23 20 19 25 16 30.5 13 25 9 20 4.5 16 9 12 13 7 16 1.5z",
    "M16 29.5C6 21.5 2 16 2 10.5 2 6 5.3 3 9.2 3c3 0 5.5 1.7 6.8 4.5C17.3 4.7 19.8 3 22.8 3" +
      "c3.9 0 7.2 3 7.2 7.5 0 5.5-4 11-14 19z",
    "M16 2C8 9.5 3 13.8 3 19.2c0 3.7 2.8 6.3 6.1 6.3 2.3 0 4.3-1.2 5.5-3.2-.2 3.2-1.3 5.7-3.6 7.7" +
      "h10c-2.3-2-3.4-4.5-3.6-7.7 1.2 2 3.2 3.2 5.5 3.2 3.3 0 6.1-2.6 6.1-6.3C29 13.8 24 9.5 16 2z",
  ];

  const suitOf = (card) => card >> 4;
  const rankOf = (card) => card & 15;
  const rankText = (card) => (rankOf(card) <= 10 ? RANKS[rankOf(card)] : RANKS[rankOf(card)][0].toUpperCase());

  // "queen of hearts", "2 of clubs".
  const nameOf = (card) => `${RANKS[rankOf(card)]} of ${SUITS[suitOf(card)]}`;

  // "Q♥".
  const textOf = (card) => rankText(card) + SYMBOLS[suitOf(card)];

  const ofLetter = (letter) => {
    const index = LETTERS.indexOf(letter);
    return (Math.floor(index / 13) + 1) * 16 + (index % 13) + 2;
  };

  // "QH", "TC", as records and faults write cards; 0 for anything else.
  const parse = (text) => {
    const rank = "23456789TJQKA".indexOf(text[0]) + 2;
    const suit = "CDHS".indexOf(text[1]) + 1;
    return text.length === 2 && rank > 1 && suit > 0 ? suit * 16 + rank : 0;
  };

  // Spades, hearts, clubs, diamonds, each from the ace down: colours alternate.
  const HAND_ORDER = [0, 2, 3, 1, 0];
  const sorted = (cards) =>
    [...cards].sort((a, b) => (suitOf(a) === suitOf(b) ? b - a : order(a) - order(b)));
  const order = (card) => (suitOf(card) === 4 ? 0 : HAND_ORDER[suitOf(card)]);

  const shape = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const pip = (suit, x, y, size) =>
    shape("path", { d: PIPS[suit], transform: `translate(${x} ${y}) scale(${size / 32})` });

  // The face of a card, 50 x 70: rank and suit in the corner, the suit once more where a card below another
  // shows only its upper edge, and a large pip.
  const face = (card) => {
    const drawn = shape("svg", { viewBox: "0 0 50 70", "aria-hidden": "true", class: "face" });
    const text = rankText(card);
    const rank = shape("text", { x: text.length > 1 ? 3 : 4, y: 17 });
    if (text.length > 1) {
      rank.setAttribute("textLength", "17");
      rank.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
    rank.textContent = text;
    const suit = suitOf(card);
    drawn.append(rank, pip(suit, 4, 22, 13), pip(suit, 33, 5, 13), pip(suit, 20, 38, 26));
    drawn.classList.add(SUITS[suit]);
    return drawn;
  };

  arena.cards = { SUITS, suitOf, rankOf, nameOf, textOf, ofLetter, parse, sorted, face, pip, shape };
})((globalThis.arena ??= {}));
