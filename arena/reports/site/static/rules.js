// Owns what may be played and why not, as players say it; a test compares it with arena/rules card by card.
"use strict";
(function (arena) {
  const { SUITS, suitOf, rankOf, nameOf } = arena.cards;
  const SPADES = 4;

  const beats = (card, best) =>
    suitOf(card) === suitOf(best) ? rankOf(card) > rankOf(best) : suitOf(card) === SPADES;

  // The card that is winning; cards in play order, at least one.
  const bestOf = (cards) => cards.reduce((best, card) => (beats(card, best) ? card : best));

  // Seat 0-3 whose card is winning.
  const winnerOf = (leader, cards) => (leader + cards.indexOf(bestOf(cards))) % 4;

  // Cards of `hand` that may be played to `trick`. `rules` has `follow` and `undertrump`.
  const legalCards = (hand, trick, rules) => {
    if (!trick.length) return [...hand];
    const best = bestOf(trick);
    const following = hand.filter((card) => suitOf(card) === suitOf(trick[0]));
    const winning = (following.length ? following : hand).filter((card) => beats(card, best));
    if (following.length) return rules.follow === "must_beat" && winning.length ? winning : following;
    if (winning.length) return winning;
    const spades = hand.filter((card) => suitOf(card) === SPADES);
    return rules.undertrump === "forced" && spades.length ? spades : [...hand];
  };

  // Why `card` of `hand` may not be played to `trick`; "" when it may.
  const whyNot = (card, hand, trick, rules) => {
    if (legalCards(hand, trick, rules).includes(card)) return "";
    const led = suitOf(trick[0]);
    const best = bestOf(trick);
    if (hand.some((other) => suitOf(other) === led))
      return suitOf(card) === led ? `must beat the ${nameOf(best)}` : `must follow ${SUITS[led]}`;
    if (!hand.some((other) => beats(other, best))) return "must still play a spade";
    return suitOf(best) === SPADES ? `must overtrump the ${nameOf(best)}` : "must trump";
  };

  // "made" when a call would be made if the round ended now, "lost" when it can be made no more, else "open".
  const callState = (call, won, left, rules) => {
    if (won + left < call) return "lost";
    if (rules.success === "exact_or_one_over" && won > call + 1) return "lost";
    return won >= call ? "made" : "open";
  };

  arena.rules = { legalCards, whyNot, bestOf, winnerOf, callState };
})((globalThis.arena ??= {}));
