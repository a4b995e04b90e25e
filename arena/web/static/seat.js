// Owns the page of a person's seat. The server says what this seat may see; the page shows it card by card, at a pace at
// which one can follow, and sends calls and cards.
"use strict";
(function (arena) {
  const { make, points } = arena.dom;
  const { textOf, sorted } = arena.cards;
  const { winnerOf } = arena.rules;
  const find = (id) => document.getElementById(id);
  const CARD_MS = 550;
  const TRICK_MS = 1300;
  const ROUND_MS = 3500;
  const WARNING_S = 20;

  const section = find("table");
  const { seat: seatId, mayReplay } = section.dataset;
  const table = arena.cardTable(find("felt"), { onCard: (card) => send({ card }) });
  const at = { round: 0, step: 0 }; // what is shown: decisions of a round
  let view = null;
  let endsAt = 0; // when the clock of this decision runs out, on the browser's clock
  let timer = 0;
  let answered = 0; // the revision of the view that was answered: there is a newer one soon
  let isOver = false;

  const seats = () => view.seats.map(({ name }, seat) => ({ name: seat === view.seat ? "You" : name }));
  const nameOf = (seat) => seats()[seat].name;
  const verb = (seat, word) => (seat === view.seat ? word : `${word}s`);

  // A round as far as it was played: the one that runs, or the one before.
  const roundOf = (number) => {
    if (number === view.round) return { ...view, tricks: [...view.tricks, view.trick].filter(({ cards }) => cards.length) };
    const { last_round: last } = view;
    return { ...last, dealer: (view.dealer + 3) % 4, hand: [] };
  };
  const stepsOf = ({ calls, tricks }) => calls.filter(Boolean).length + tricks.reduce((sum, { cards }) => sum + cards.length, 0);

  // The table after `step` decisions of a round.
  const stateAt = (round, number, step) => {
    const first = (round.dealer + 1) % 4;
    const calls = [0, 0, 0, 0];
    for (let turn = 0; turn < Math.min(step, 4); turn++) calls[(first + turn) % 4] = round.calls[(first + turn) % 4];
    let played = Math.max(step - 4, 0);
    const shown = round.tricks.map(({ leader, cards }) => {
      const some = cards.slice(0, played);
      played -= some.length;
      return { leader, cards: some };
    });
    const whole = shown.filter(({ cards }) => cards.length === 4);
    const winners = whole.map(({ leader, cards }) => winnerOf(leader, cards));
    const trick = shown.findLast(({ cards }) => cards.length) ?? { leader: first, cards: [] };
    const isWhole = trick.cards.length === 4;
    const turn = step < 4 ? (first + step) % 4 : isWhole ? winners.at(-1) : (trick.leader + trick.cards.length) % 4;
    const isRoundOver = step === 56;
    return {
      hands: handsAt(round, shown),
      calls,
      tricksWon: [0, 1, 2, 3].map((seat) => winners.filter((winner) => winner === seat).length),
      scores: totalsBefore(isRoundOver ? number + 1 : number),
      forfeited: [false, false, false, false],
      trick: { ...trick, winner: isWhole ? winners.at(-1) : -1 },
      turn: isRoundOver ? -1 : turn,
      dealer: round.dealer,
      left: 13 - whole.length,
      isCalling: step < 4,
      isOver: isRoundOver,
      seats: seats(),
      rules: view.rules,
      reasons: null,
      shown,
    };
  };

  // This seat's cards, and as many backs as the others hold.
  const handsAt = (round, shown) => {
    const playedBy = (tricks, seat) =>
      tricks.flatMap(({ leader, cards }) => cards.filter((_, turn) => (leader + turn) % 4 === seat));
    return [0, 1, 2, 3].map((seat) => {
      const gone = playedBy(shown, seat);
      if (seat !== view.seat) return Array(13 - gone.length).fill(0);
      const later = playedBy(round.tricks, seat).filter((card) => !gone.includes(card));
      return sorted([...round.hand, ...later]);
    });
  };

  const totalsBefore = (round) =>
    [0, 1, 2, 3].map((seat) => view.scores_tenths.slice(0, round - 1).reduce((sum, scores) => sum + scores[seat], 0));

  const isCaughtUp = () => at.round === view.round && at.step === stepsOf(roundOf(at.round));
  const isAsked = () => Boolean(view.asked) && view.revision !== answered && isCaughtUp();

  const draw = () => {
    const round = roundOf(at.round);
    const state = stateAt(round, at.round, at.step);
    if (isAsked() && view.asked === "card")
      state.reasons = new Map(view.hand.map((card) => [card, view.why_not[card] ?? ""]));
    table.show(state, { seat: view.seat, isClosed: true });
    find("where").textContent = `Round ${at.round} of ${view.rounds}`;
    find("words").replaceChildren(...words(round, state));
    find("scores").replaceChildren(trickTable(state));
    drawQuestion();
  };

  const trickTable = (state) => {
    const list = make("table", { class: "trick-list" });
    list.append(...arena.tables.trickList(state.shown, seats().map(({ name }) => name), state.calls));
    return list;
  };

  const words = (round, state) => {
    const said = [make("p", { class: "did" }, lastWords(state))];
    if (state.isOver && at.round < view.round) {
      const result = [0, 1, 2, 3].map((seat) => `${nameOf(seat)} ${round.calls[seat]} / ${round.tricks_won[seat]} ${points(round.scores_tenths[seat])}`);
      said.push(make("p", { class: "soft" }, `The round ends: ${result.join(", ")}.`));
    }
    said.push(...view.notices.map((notice) => make("p", { class: "fault" }, notice)));
    return said;
  };

  const lastWords = ({ trick, calls, dealer }) => {
    const count = trick.cards.length;
    if (trick.winner >= 0) return `${nameOf(trick.winner)} ${verb(trick.winner, "win")} with ${textOf(trick.cards[(trick.winner - trick.leader + 4) % 4])}`;
    if (count) {
      const seat = (trick.leader + count - 1) % 4;
      return `${nameOf(seat)} ${verb(seat, count === 1 ? "lead" : "play")} ${textOf(trick.cards.at(-1))}`;
    }
    const called = calls.filter(Boolean).length;
    const seat = (dealer + called) % 4;
    return called ? `${nameOf(seat)} ${verb(seat, "call")} ${calls[seat]}` : `${nameOf(dealer)} ${verb(dealer, "deal")}`;
  };

  const drawQuestion = () => {
    const asked = isAsked() ? view.asked : "";
    const question = { call: "How many tricks will you take?", card: "Your turn: play a card" }[asked] ?? "";
    if (find("question").textContent !== question) find("question").textContent = question;
    find("calls").replaceChildren(
      ...(asked === "call" ? view.legal_calls : []).map((call) =>
        make("button", { type: "button", class: "call", onclick: () => send({ call }) }, String(call)),
      ),
    );
    document.title = asked ? `Your turn \u00b7 ${find("content").dataset.title}` : find("content").dataset.title;
    tick();
  };

  const tick = () => {
    const clock = find("clock");
    const left = Math.max(0, Math.ceil((endsAt - Date.now()) / 1000));
    const isOn = view?.asked && view.state === "playing";
    clock.textContent = isOn ? `${left >= 60 ? `${Math.floor(left / 60)} min ${String(left % 60).padStart(2, "0")} s` : `${left} s`} left` : "";
    clock.classList.toggle("bad", isOn && left <= WARNING_S);
  };

  // Shows the next decision, and so on until the page has caught up.
  const go = () => {
    timer = 0;
    if (!view.round) return;
    if (!at.round) Object.assign(at, { round: view.round, step: isBehind() ? stepsOf(roundOf(view.round)) : 0 });
    const end = stepsOf(roundOf(at.round));
    if (at.step < end) at.step++;
    else if (at.round < view.round) Object.assign(at, { round: at.round + 1, step: 0 });
    draw();
    if (!isCaughtUp()) timer = setTimeout(go, pause());
    else if (view.state === "over") timer = setTimeout(finish, isOver ? 0 : ROUND_MS);
  };
  const pause = () => {
    const isTrickOver = at.step > 4 && at.step % 4 === 0;
    return at.step === 56 ? ROUND_MS : isTrickOver ? TRICK_MS : CARD_MS;
  };
  // One that is far behind, after a reload say, starts from now.
  const isBehind = () => stepsOf(roundOf(view.round)) > 4;
  const hurry = () => {
    if (!view?.round || isCaughtUp()) return;
    clearTimeout(timer);
    const end = stepsOf(roundOf(at.round));
    at.step = at.step < end ? end : at.step;
    go();
  };

  const told = (news) => {
    view = news;
    endsAt = Date.now() + 1000 * (news.seconds_left ?? 0);
    if (news.state === "void") return giveUp();
    if (!news.round) return;
    find("message").hidden = true;
    section.hidden = false;
    if (at.round && at.round < news.round - 1) Object.assign(at, { round: news.round, step: 0 });
    if (!timer) go();
    else drawQuestion();
  };

  const send = async (answer) => {
    if (!isAsked()) return;
    answered = view.revision;
    draw();
    let trouble = "";
    try {
      const reply = await fetch(`/play/${encodeURIComponent(seatId)}/answer`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(answer),
      });
      if (!reply.ok) trouble = (await reply.json()).detail;
    } catch {
      trouble = "it was not sent: the connection is lost";
    }
    if (!trouble) return;
    answered = 0;
    draw();
    find("question").textContent = `Not done: ${trouble}`;
  };

  const finish = async () => {
    if (isOver) return;
    isOver = true;
    stream.close();
    const order = [0, 1, 2, 3].sort((a, b) => view.places[a] - view.places[b]);
    const result = order.map((seat) => `${view.places[seat]}. ${nameOf(seat)} ${points(view.totals_tenths[seat])}`).join(", ");
    find("message").hidden = false;
    find("message").textContent = `The match is over: ${result}.`;
    find("again").hidden = false;
    find("leave").hidden = true;
    if (!mayReplay) return;
    const answer = await fetch(`/play/${encodeURIComponent(seatId)}/replay.json`);
    if (!answer.ok) return;
    const { run, entry } = await answer.json();
    section.hidden = true;
    arena.matchView(arena.replay.decode(entry, run), find("content").dataset.title);
  };

  const giveUp = () => {
    clearTimeout(timer);
    stream.close();
    find("message").hidden = false;
    find("message").textContent = `The match ends here and does not count: ${view.reason}.`;
    section.hidden = true;
    find("again").hidden = false;
  };

  // A server that was started anew knows nothing of this table.
  const lose = () => {
    view = { ...(view ?? {}), state: "void", reason: "the table is gone, the server was started anew" };
    giveUp();
  };

  // Left and right choose among the cards that may be played.
  const choose = (by) => {
    const cards = [...document.querySelectorAll(".card.legal button")];
    if (!cards.length) return;
    const now = cards.indexOf(document.activeElement);
    cards[now < 0 ? (by > 0 ? 0 : cards.length - 1) : (now + by + cards.length) % cards.length].focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, summary") || !view?.round) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      if (!isAsked()) return;
      event.preventDefault();
      choose(event.key === "ArrowLeft" ? -1 : 1);
    } else if (/^[1-9]$/.test(event.key) && isAsked() && view.legal_calls.includes(+event.key)) send({ call: +event.key });
    else if (event.key === " " && !event.target.closest("button, a")) {
      event.preventDefault();
      hurry();
    }
  });
  find("felt").addEventListener("click", (event) => {
    if (!event.target.closest("button")) hurry();
  });
  setInterval(tick, 500);
  arena.tables.chooseColours(section);
  const stream = arena.stream(`/events/play/${encodeURIComponent(seatId)}`, { state: told, gone: lose }, { sign: find("live") });
})((globalThis.arena ??= {}));
