import type { Ask__Output as Ask } from "../build/arena/v1/Ask";
import type { Card__Output as Card } from "../build/arena/v1/Card";
import type { Ruleset__Output as Ruleset } from "../build/arena/v1/Ruleset";

// What the bot says of itself.
export const NAME = "my-bot";
export const VERSION = "0.1.0";
export const MAX_PARALLEL_MATCHES = 64;

/** How many tricks to call, before the first card: `ask.hand` holds thirteen cards. */
export function chooseCall(ask: Ask, rules: Ruleset): number {
  return ask.legalCalls[0];
}

/**
 * Which card to play: look at `ask.trick`, `ask.history`, `ask.calls`, `ask.tricksWon`. A card's suit is
 * card >> 4 (1 clubs, 2 diamonds, 3 hearts, 4 spades), its rank card & 15 (2 to 14, the ace).
 */
export function chooseCard(ask: Ask, rules: Ruleset): Card {
  return ask.legalCards[0];
}
