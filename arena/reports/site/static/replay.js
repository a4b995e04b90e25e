// Owns a stored match as values: what is in a replay file, what the table looks like after each decision, and the
// address of a decision. Draws nothing.
"use strict";
(function (arena) {
  const { ofLetter, sorted } = arena.cards;
  const { legalCards, winnerOf, whyNot } = arena.rules;
  const STEPS = 56; // decisions of a round: four calls, then 52 cards
  const TIME_LETTERS =
    " !#$%&'()*+,./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";
  const TIMES_A_FACTOR_E = 366;

  // A match of a replay file (docs/report.md has the format); `run` says what all matches have in common.
  const decode = (entry, run) => {
    const [id, bots, letters, scores, totals, places, times, started, more = {}] = entry;
    const match = {
      id, totals, places, rounds: [],
      started: new Date(started * 1000),
      rules: run.ruleset,
      seats: bots.map((bot, seat) => ({ ...run.bots[bot], forfeited: (more.forfeited ?? []).includes(seat) })),
      faults: (more.faults ?? []).map(faultOf),
      notes: (more.notes ?? []).map(([round, decision, text]) => ({ round, decision, text })),
      redeals: (more.redeals ?? []).map(([round, seat, reason]) => ({ round, seat, reason })),
    };
    const took = timesOf(times);
    let before = [0, 0, 0, 0];
    for (let round = 1; 56 * round <= letters.length; round++) {
      const played = roundOf(letters.slice(56 * (round - 1), 56 * round), round);
      played.scores = scores.slice(4 * (round - 1), 4 * round);
      played.before = before;
      played.after = before = before.map((total, seat) => total + played.scores[seat]);
      played.times = took.slice(56 * (round - 1), 56 * round);
      match.rounds.push(played);
    }
    return match;
  };

  const faultOf = ([seat, kind, round, trick, decision, answer, replacedBy, detail, forfeits, us]) => ({
    seat, kind, round, trick, decision, answer, replacedBy, detail, forfeits: Boolean(forfeits), us,
  });

  const roundOf = (letters, number) => {
    const dealer = (number + 2) % 4;
    const calls = [...letters.slice(0, 4)].map((digit) => parseInt(digit, 14));
    const plays = [...letters.slice(4)].map(ofLetter);
    const leaders = [(dealer + 1) % 4];
    const hands = [[], [], [], []];
    for (let trick = 0; trick < 13; trick++) {
      const cards = plays.slice(4 * trick, 4 * trick + 4);
      cards.forEach((card, turn) => hands[(leaders[trick] + turn) % 4].push(card));
      leaders.push(winnerOf(leaders[trick], cards));
    }
    const tricksWon = [0, 1, 2, 3].map((seat) => leaders.slice(1).filter((winner) => winner === seat).length);
    return { number, dealer, calls, plays, leaders, hands: hands.map(sorted), tricksWon };
  };

  // Microseconds of each decision, null where nobody was asked; empty when no times were kept.
  const timesOf = (text) => {
    const times = [];
    for (let at = 0; at < text.length; at++) {
      if (text[at] === "-") {
        times.push(null);
        continue;
      }
      const level = TIME_LETTERS.indexOf(text[at]) * TIME_LETTERS.length + TIME_LETTERS.indexOf(text[++at]);
      times.push(Math.exp(level / TIMES_A_FACTOR_E));
    }
    return times;
  };

  // Seat that makes a decision (0-55) of a round.
  const deciderOf = (round, decision) =>
    decision < 4
      ? (round.dealer + 1 + decision) % 4
      : (round.leaders[(decision - 4) >> 2] + ((decision - 4) & 3)) % 4;

  // The table after `step` (0-56) decisions of a round, for the card table to show.
  const stateAt = (match, number, step) => {
    const round = match.rounds[number - 1];
    const played = Math.max(step - 4, 0);
    const gone = new Set(round.plays.slice(0, played));
    const hands = round.hands.map((hand) => hand.filter((card) => !gone.has(card)));
    const tricksWon = [0, 0, 0, 0];
    for (let trick = 1; 4 * trick <= played; trick++) tricksWon[round.leaders[trick]]++;
    const trick = trickAt(round, played);
    const turn = step < STEPS ? deciderOf(round, step) : -1;
    const calls = [0, 0, 0, 0];
    for (let decision = 0; decision < Math.min(step, 4); decision++) {
      const seat = deciderOf(round, decision);
      calls[seat] = round.calls[seat];
    }
    return {
      hands, tricksWon, trick, turn, calls,
      seats: match.seats,
      forfeited: [0, 1, 2, 3].map((seat) => isForfeited(match, seat, number, step)),
      rules: match.rules,
      dealer: round.dealer,
      isCalling: step < 4,
      isOver: step === STEPS,
      left: 13 - (played >> 2),
      scores: step === STEPS ? round.after : round.before,
      reasons: turn < 0 || step < 4 ? null : reasonsOf(hands[turn], trick, match.rules),
    };
  };

  // Whether the seat was forfeited before `decision` of a round.
  const isForfeited = (match, seat, number, decision) =>
    match.faults.some(
      (fault) =>
        fault.forfeits && fault.seat === seat &&
        (fault.round < number || (fault.round === number && fault.decision < decision)),
    );

  // Cards on the table in play order, the last trick staying until the next card; `winner` once there are four.
  const trickAt = (round, played) => {
    if (!played) return { leader: round.leaders[0], cards: [], winner: -1 };
    const number = (played - 1) >> 2;
    const cards = round.plays.slice(4 * number, played);
    return { leader: round.leaders[number], cards, winner: cards.length === 4 ? round.leaders[number + 1] : -1 };
  };

  // For each card of the seat to play: why it may not be played, "" if it may.
  const reasonsOf = (hand, trick, rules) => {
    const open = trick.cards.length === 4 ? [] : trick.cards;
    return new Map(hand.map((card) => [card, whyNot(card, hand, open, rules)]));
  };

  // What the decision before `step` was; null at the start of a round.
  const eventAt = (match, number, step) => {
    if (!step) return null;
    const round = match.rounds[number - 1];
    const decision = step - 1;
    const seat = deciderOf(round, decision);
    const isHere = (one) => one.round === number && one.decision === decision;
    return {
      seat, decision,
      call: decision < 4 ? round.calls[seat] : 0,
      card: decision < 4 ? 0 : round.plays[decision - 4],
      us: round.times[decision],
      faults: match.faults.filter((fault) => isHere(fault) && fault.round),
      notes: match.notes.filter(isHere),
      isForfeited: isForfeited(match, seat, number, decision),
    };
  };

  // "r3", "r3.call2", "r3.t7.c2"; a view follows: ".s2" turns seat 2 to the bottom, ".only" shows its hand alone.
  const addressOf = ({ round, step, seat = 0, isClosed = false }) => {
    const place = step === 0 ? "" : step <= 4 ? `.call${step}` : `.t${(step - 1) >> 2}.c${((step - 1) & 3) + 1}`;
    return `r${round}${place}${seat || isClosed ? `.s${seat}` : ""}${isClosed ? ".only" : ""}`;
  };

  const ADDRESS = /^r(\d{1,4})(?:\.call([1-4])|\.t(\d{1,2})(?:\.c([1-4]))?)?(?:\.s([0-3]))?(\.only)?$/;

  // The place that an address names; null for one that the match does not have.
  const placeOf = (address, match) => {
    const found = ADDRESS.exec(address);
    if (!found) return null;
    const [, round, call, trick, card, seat, only] = found;
    if (+round < 1 || +round > match.rounds.length || (trick && (+trick < 1 || +trick > 13))) return null;
    const step = trick ? 4 * +trick + +(card ?? 1) : +(call ?? 0);
    return { round: +round, step, seat: +(seat ?? 0), isClosed: Boolean(only) };
  };

  arena.replay = { STEPS, decode, stateAt, eventAt, deciderOf, addressOf, placeOf };
})((globalThis.arena ??= {}));
