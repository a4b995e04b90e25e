import type { Ask__Output as Ask } from "../build/arena/v1/Ask";
import type { Card__Output as Card } from "../build/arena/v1/Card";
import type { Ruleset__Output as Ruleset } from "../build/arena/v1/Ruleset";
import { Success } from "../build/arena/v1/Success";

// What the bot says of itself.
export const NAME = "steady-typescript";
export const VERSION = "1.0.0";
export const MAX_PARALLEL_MATCHES = 64;

// Section numbers are those of docs/steady.md in the arena's repository, which defines this strategy.

const PLAIN_SUITS = [1, 2, 3];
const SPADES = 4;
const [QUEEN, KING, ACE] = [12, 13, 14];

// Hundredths of a trick. Plain honours, lengths and short suits go by the number of cards of the suit.
const PLAIN_HONOURS: Record<number, number[]> = {
  [ACE]: [0, 95, 100, 100, 100, 90, 80],
  [KING]: [0, 0, 70, 70, 60, 35, 10],
  [QUEEN]: [0, 0, 15, 30, 20, 10, 5],
};
const SPADE_HONOURS: Record<number, number> = { [ACE]: 100, [KING]: 80, [QUEEN]: 45, 11: 30, 10: 15 };
const SPADE_LENGTH = [0, 0, 10, 60, 120, 180, 240, 310, 360, 420];
const SHORT_SUIT = [120, 75, 25];

// How far the value of a hand may be off, and in how many cases of 64.
const ERRORS = [[-210, 1], [-140, 6], [-70, 15], [0, 20], [70, 15], [140, 6], [210, 1]];

const suitOf = (card: Card): number => card >> 4;
const rankOf = (card: Card): number => card & 15;

/** The legal call with the highest expected score; of equals, the lowest. */
export function chooseCall(ask: Ask, rules: Ruleset): number {
  const value = handValue(ask.hand);
  return lowest(ask.legalCalls, (call) => -expectedScore(call, value, rules));
}

/** A legal card. */
export function chooseCard(ask: Ask, rules: Ruleset): Card {
  const memory = new Memory(ask);
  const isLeading = ask.trick.length === 0;
  if (wantsTricks(ask, rules)) return isLeading ? memory.lead() : memory.follow();
  return isLeading ? lowest(ask.legalCards, rankOf) : memory.duck();
}

// 2. The call

/** Tricks that a dealt hand may win, in hundredths. */
function handValue(hand: Card[]): number {
  const ranks = [1, 2, 3, 4].map((suit) => hand.filter((card) => suitOf(card) === suit).map(rankOf));
  const [spades, trumps] = [ranks[SPADES - 1], Math.min(ranks[SPADES - 1].length, 9)];
  let value = SPADE_LENGTH[trumps] + sum(spades.map((rank) => SPADE_HONOURS[rank] ?? 0));
  for (const suit of PLAIN_SUITS) {
    const own = ranks[suit - 1];
    value += sum(own.map((rank) => PLAIN_HONOURS[rank]?.[Math.min(own.length, 6)] ?? 0));
    if (own.length < SHORT_SUIT.length) {
      value += Math.floor((SHORT_SUIT[own.length] * Math.min(trumps, 3)) / 3);
    }
  }
  return value;
}

/** What the call scores in tenths, summed over 64 cases of how many tricks the hand may win. */
function expectedScore(call: number, value: number, rules: Ruleset): number {
  return sum(ERRORS.map(([error, cases]) => cases * score(call, tricks(value + error), rules)));
}

/** The nearest whole number of tricks, from 0 to 13. */
function tricks(value: number): number {
  return Math.max(0, Math.min(13, Math.floor((value + 50) / 100)));
}

/** What a call scores with so many tricks, in tenths. */
function score(call: number, won: number, rules: Ruleset): number {
  const isExact = rules.success === Success.SUCCESS_EXACT_OR_ONE_OVER;
  const isMade = isExact ? won === call || won === call + 1 : won >= call;
  if (!isMade) return -10 * call;
  const hasBonus = rules.bonusCall !== undefined && call >= rules.bonusCall;
  const points = hasBonus ? (rules.bonusPoints ?? 0) : call;
  return 10 * points + rules.overtrickTenths * (won - call);
}

// 3. What is remembered

/** What the cards played so far tell about those that are out: in one of the other three hands. */
class Memory {
  /** Cards that are out, their highest rank (0 when none is out) and cards in hand, by suit. */
  private readonly out = [0, 0, 0, 0, 0];
  private readonly highestOut = [0, 0, 0, 0, 0];
  private readonly length = [0, 0, 0, 0, 0];
  private readonly isVoid = [0, 1, 2, 3].map(() => [false, false, false, false, false]);

  constructor(private readonly ask: Ask) {
    const known = new Set<number>([...ask.hand, ...ask.history, ...ask.trick]);
    for (const card of ask.hand) this.length[suitOf(card)]++;
    for (const suit of [...PLAIN_SUITS, SPADES]) {
      for (let rank = 2; rank <= ACE; rank++) {
        if (known.has(16 * suit + rank)) continue;
        this.out[suit]++;
        this.highestOut[suit] = rank;
      }
    }
    ask.historyLeaders.forEach((leader, i) => this.learn(leader, ask.history.slice(4 * i, 4 * i + 4)));
    this.learn(ask.trickLeader, ask.trick);
  }

  /** Who did not follow suit has none of it. */
  private learn(leader: number, trick: Card[]): void {
    trick.forEach((card, i) => {
      const led = suitOf(trick[0]);
      if (suitOf(card) !== led) this.isVoid[(leader + i) % 4][led] = true;
    });
  }

  private hasNone(seat: number, suit: number): boolean {
    return this.isVoid[seat][suit] || this.out[suit] === 0;
  }

  private isMaster(card: Card): boolean {
    return rankOf(card) > this.highestOut[suitOf(card)];
  }

  /** Whether a lead of this plain suit may be trumped. */
  private isRisky(suit: number): boolean {
    const others = [1, 2, 3].map((i) => (this.ask.seat + i) % 4);
    if (others.some((seat) => this.hasNone(seat, suit) && !this.hasNone(seat, SPADES))) return true;
    return this.out[SPADES] > 0 && this.out[suit] <= 3;
  }

  /** How much the card would be missed. */
  private worth(card: Card): number {
    return rankOf(card) + (suitOf(card) === SPADES ? 20 : 0) + (this.isMaster(card) ? 10 : 0);
  }

  // 4. The play

  /** The card to lead when tricks are wanted. */
  lead(): Card {
    return lowest(this.ask.legalCards, (card) => -this.leadValue(card));
  }

  private leadValue(card: Card): number {
    const [suit, rank] = [suitOf(card), rankOf(card)];
    const [isMaster, length] = [this.isMaster(card), this.length[suit]];
    if (suit === SPADES) return isMaster && length > 2 ? 500 + rank : -2000 - 100 * rank;
    if (isMaster && !this.isRisky(suit)) return 1000 - 100 * length;
    return -100 * rank - 100 * length;
  }

  /** The card to play to a trick when tricks are wanted. */
  follow(): Card {
    const winners = this.ask.legalCards.filter((card) => this.wins(card));
    if (winners.length === 0) return lowest(this.ask.legalCards, (card) => this.worth(card));
    const cheapest = lowest(winners, (card) => this.worth(card));
    const isLast = this.ask.trick.length === 3;
    if (isLast || suitOf(cheapest) === SPADES) return cheapest;
    return winners.find((card) => this.isMaster(card)) ?? cheapest;
  }

  /** The card to play to a trick when tricks are not wanted. */
  duck(): Card {
    const losers = this.ask.legalCards.filter((card) => !this.wins(card));
    const choice = losers.length > 0 ? losers : this.ask.legalCards;
    // Backwards, so that of equals the highest number comes first.
    return [...choice].sort((a, b) => this.worth(b) - this.worth(a) || b - a)[0];
  }

  /** Whether the card would be the best of the trick so far. */
  private wins(card: Card): boolean {
    const led = suitOf(this.ask.trick[0]);
    return this.ask.trick.every((other) => power(card, led) > power(other, led));
  }
}

/** Orders the cards of a trick: the highest wins it. */
function power(card: Card, led: number): number {
  if (suitOf(card) === SPADES) return 100 + rankOf(card);
  return suitOf(card) === led ? rankOf(card) : 0;
}

function wantsTricks(ask: Ask, rules: Ruleset): boolean {
  if (rules.success !== Success.SUCCESS_EXACT_OR_ONE_OVER) return true;
  return ask.tricksWon[ask.seat] < ask.calls[ask.seat];
}

/** The choice with the lowest measure; of equals, the lowest number. */
function lowest<T extends number>(choices: T[], measure: (choice: T) => number): T {
  return choices.reduce((best, choice) => {
    const difference = measure(choice) - measure(best) || choice - best;
    return difference < 0 ? choice : best;
  });
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
