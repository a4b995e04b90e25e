// Owns a replay: the card table with its buttons, keys, the words on each decision and the list of tricks. It keeps
// the address of the page at the decision shown.
"use strict";
(function (arena) {
  const { make, spoken, duration } = arena.dom;
  const { textOf, nameOf, parse } = arena.cards;
  const { STEPS, stateAt, eventAt, addressOf, placeOf } = arena.replay;
  const CARD_MS = 900;
  const TRICK_MS = 1700;

  const ICONS = {
    round: "M6 5v14M20 5l-6 7 6 7M13 5l-6 7 6 7",
    trick: "M19 5l-7 7 7 7M12 5l-7 7 7 7",
    card: "M15 5l-7 7 7 7",
    play: "M8 5l11 7-11 7z",
    pause: "M9 5v14M15 5v14",
  };

  const KEYS = [
    ["\u2190 \u2192", "a card back, a card on"],
    ["\u2191 \u2193", "a trick back, a trick on"],
    ["[ ]", "a round back, a round on"],
    ["Home End", "the first deal, the last card"],
    ["Space", "plays, and stops"],
    ["1 2 3 4", "turns seat 0, 1, 2, 3 to the bottom"],
    ["h", "hides or shows the other hands"],
    ["c", "four colours or two"],
    ["?", "this list"],
  ];

  // Shows `match` inside `root`, at `address` or, when it has no such place, at its beginning.
  const replayView = (root, match, address = "") => {
    const at = { round: 1, step: 0, seat: 0, isClosed: false };
    let timer = 0;
    const last = match.rounds.length;

    const table = make("div", { class: "felt" });
    const place = make("p", { class: "where" });
    const words = make("div", { class: "words", "aria-live": "polite" });
    const list = make("div", { class: "tricks" });
    const help = helpDialog();
    const seats = make(
      "select", { "aria-label": "Seat at the bottom", onchange: (event) => look({ seat: +event.target.value }) },
      ...match.seats.map(({ name }, seat) => make("option", { value: seat }, `${seat} ${name}`)),
    );
    const closed = make("input", { type: "checkbox", onchange: () => look({ isClosed: closed.checked }) });
    const colours = make("input", { type: "checkbox", onchange: () => setColours(colours.checked) });
    const playing = button("play", "Play", "Space", () => (timer ? stop() : play()));
    const shown = arena.cardTable(table);

    const bar = make(
      "div", { class: "controls", role: "toolbar", "aria-label": "Steps of the replay" },
      button("round", "Round back", "[", () => byRound(-1)),
      button("trick", "Trick back", "\u2191", () => byTrick(-1)),
      button("card", "Card back", "\u2190", () => byCard(-1)),
      playing,
      button("card", "Card on", "\u2192", () => byCard(1), true),
      button("trick", "Trick on", "\u2193", () => byTrick(1), true),
      button("round", "Round on", "]", () => byRound(1), true),
    );
    const choices = make(
      "div", { class: "choices" },
      make("label", {}, "Seen from ", seats),
      make("label", {}, closed, " this hand only"),
      make("label", {}, colours, " four colours"),
      make("button", { type: "button", class: "plain", title: "Keys (?)", onclick: () => help.showModal() }, "Keys"),
    );
    root.replaceChildren(
      make("div", { class: "stage" }, table, bar, choices),
      make("div", { class: "beside" }, place, words, list),
      help,
    );

    const move = (round, step) => {
      at.round = round;
      at.step = step;
      draw();
      return true;
    };
    const byCard = (by) => {
      const step = at.step + by;
      if (step >= 0 && step <= STEPS) return move(at.round, step);
      return by < 0 ? at.round > 1 && move(at.round - 1, STEPS) : at.round < last && move(at.round + 1, 0);
    };
    // To the end of the trick before or after; before the first trick stand the calls and the deal.
    const byTrick = (by) => {
      const stops = [0, 4, ...Array.from({ length: 13 }, (_, trick) => 8 + 4 * trick)];
      const next = by < 0 ? stops.findLast((step) => step < at.step) : stops.find((step) => step > at.step);
      return next === undefined ? byCard(by) : move(at.round, next);
    };
    const byRound = (by) => {
      if (by < 0 && at.step > 0) return move(at.round, 0);
      const round = at.round + by;
      if (round >= 1 && round <= last) return move(round, 0);
      return by > 0 && move(last, STEPS);
    };
    const look = (change) => {
      Object.assign(at, change);
      draw();
    };
    const play = () => {
      if (at.round === last && at.step === STEPS) move(1, 0);
      setPlaying(true);
      wait();
    };
    const wait = () => {
      const isWhole = at.step > 4 && at.step % 4 === 0;
      timer = setTimeout(() => (byCard(1) ? wait() : stop()), isWhole ? TRICK_MS : CARD_MS);
    };
    const stop = () => {
      clearTimeout(timer);
      timer = 0;
      setPlaying(false);
    };
    const setPlaying = (isOn) => {
      playing.replaceChildren(icon(isOn ? "pause" : "play"), spoken(isOn ? "Stop" : "Play"));
      playing.title = isOn ? "Stop (Space)" : "Play (Space)";
    };
    const setColours = (isFour) => {
      colours.checked = isFour;
      root.classList.toggle("four-colours", isFour);
      keep("four-colours", isFour ? "yes" : "");
    };

    const draw = (hasMoved = true) => {
      const event = eventAt(match, at.round, at.step);
      shown.show(stateAt(match, at.round, at.step), at);
      place.textContent = placeText(match, at);
      words.replaceChildren(...wordsOn(match, at, event));
      list.replaceChildren(trickTable(match, at));
      seats.value = String(at.seat);
      closed.checked = at.isClosed;
      const address = `#${addressOf(at)}`;
      if (hasMoved && location.hash !== address) history.replaceState(null, "", address);
      for (const row of document.querySelectorAll("[data-round]"))
        row.classList.toggle("now", +row.dataset.round === at.round);
    };

    const goTo = (wanted) => {
      const found = placeOf(wanted, match);
      if (found) look(found);
    };

    const strokes = {
      ArrowLeft: () => byCard(-1), ArrowRight: () => byCard(1),
      ArrowUp: () => byTrick(-1), ArrowDown: () => byTrick(1),
      "[": () => byRound(-1), "]": () => byRound(1),
      Home: () => move(1, 0), End: () => move(last, STEPS),
      1: () => look({ seat: 0 }), 2: () => look({ seat: 1 }), 3: () => look({ seat: 2 }), 4: () => look({ seat: 3 }),
      h: () => look({ isClosed: !at.isClosed }),
      c: () => setColours(!colours.checked),
      "?": () => help.showModal(),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
      if (event.target.closest("input, select, textarea, dialog") && event.key !== "?") return;
      if (event.key === " ") {
        if (event.target.closest("button, a, summary")) return;
        event.preventDefault();
        if (timer) stop();
        else play();
        return;
      }
      const stroke = strokes[event.key];
      if (!stroke) return;
      event.preventDefault();
      stop();
      stroke();
    });
    for (const pressed of bar.querySelectorAll("button"))
      if (pressed !== playing) pressed.addEventListener("click", stop);
    addEventListener("hashchange", () => {
      stop();
      goTo(location.hash.slice(1));
    });
    setColours(kept("four-colours") === "yes");
    Object.assign(at, placeOf(address, match));
    draw(false);
  };

  const placeText = (match, { round, step }) => {
    const where = `Round ${round} of ${match.rounds.length}`;
    if (step === 0) return `${where}, dealt`;
    if (step <= 4) return `${where}, call ${step} of 4`;
    return `${where}, trick ${(step - 1) >> 2}, card ${((step - 1) & 3) + 1}`;
  };

  // What happened last: who decided what, in what time, what the bot did wrong and what it remarked.
  const wordsOn = (match, at, event) => {
    if (!event) return dealWords(match, at);
    const { name } = match.seats[event.seat];
    const did = event.call
      ? `calls ${event.call}`
      : `${(event.decision & 3) === 0 ? "leads" : "plays"} ${textOf(event.card)}`;
    const said = [make("p", { class: "did" }, make("b", {}, name), ` ${did}`, howLong(event))];
    const mayBeSeen = !at.isClosed || event.seat === at.seat;
    if (mayBeSeen) {
      said.push(...event.faults.map((fault) => faultWords(fault, name)));
      said.push(...event.notes.map(({ text }) => make("p", { class: "note" }, make("q", {}, text))));
    }
    if (at.step === STEPS) said.push(roundWords(match, at.round));
    return said;
  };

  const howLong = (event) => {
    if (event.isForfeited) return make("span", { class: "soft" }, " played by the arena, the seat is forfeited");
    if (event.us === undefined) return "";
    if (event.us === null) return event.faults.length ? "" : make("span", { class: "soft" }, " the only legal one, not asked");
    return make("span", { class: "soft" }, ` in ${duration(event.us)}`);
  };

  const dealWords = (match, { round }) => {
    const redeals = match.redeals
      .filter((one) => one.round === round)
      .map(({ seat, reason }) => make("p", {}, `Thrown in: ${match.seats[seat].name} has ${reason}.`));
    const early = match.faults.filter((fault) => !fault.round && round === 1);
    return [
      make("p", { class: "did" }, make("b", {}, match.seats[match.rounds[round - 1].dealer].name), " dealt"),
      ...redeals,
      ...early.map((fault) => faultWords(fault, match.seats[fault.seat].name)),
    ];
  };

  const faultWords = (fault, name) => {
    const answer = fault.answer ? `answered ${cardWord(fault.answer)}` : "no answer";
    const instead = fault.replacedBy ? `${cardWord(fault.replacedBy)} was played instead` : "";
    return make(
      "div", { class: "fault" },
      make("p", {}, make("b", {}, fault.kind.replaceAll("_", " ").toLowerCase()), ` by ${name}: ${fault.detail}`),
      make(
        "p", {},
        [answer, instead, fault.us ? `after ${duration(fault.us)}` : "", fault.forfeits ? "the seat is forfeited" : ""]
          .filter(Boolean).join("; "),
      ),
    );
  };

  const cardWord = (text) => (parse(text) ? textOf(parse(text)) : text);

  const roundWords = (match, number) => {
    const { calls, tricksWon, scores } = match.rounds[number - 1];
    return make(
      "p", { class: "soft" },
      `The round ends: ${match.seats
        .map(({ name }, seat) => `${name} ${calls[seat]} / ${tricksWon[seat]} ${arena.dom.points(scores[seat])}`)
        .join(", ")}.`,
    );
  };

  // The round in one table; each call and card leads to itself. With one hand open it tells no more than was seen.
  const trickTable = (match, at) => {
    const round = match.rounds[at.round - 1];
    const link = (step, text, title) => {
      const isNow = step === at.step;
      if (at.isClosed && step > at.step) return make("span", { class: "soft" }, "\u00b7");
      const faulty = eventAt(match, at.round, step).faults.length ? " faulty" : "";
      return make(
        "a",
        { href: `#${addressOf({ ...at, step })}`, class: `step${faulty}`, "aria-current": isNow && "step", "aria-label": title },
        text,
      );
    };
    const callStep = (seat) => ((seat - round.dealer + 3) % 4) + 1;
    const rows = round.leaders.slice(0, 13).map((leader, trick) =>
      make(
        "tr", {},
        make("th", { scope: "row" }, String(trick + 1)),
        ...match.seats.map((_, seat) => {
          const turn = (seat - leader + 4) % 4;
          const step = 5 + 4 * trick + turn;
          const card = round.plays[step - 5];
          const isKnown = !at.isClosed || 8 + 4 * trick <= at.step;
          const won = isKnown && round.leaders[trick + 1] === seat;
          const title = `${nameOf(card)}${turn ? "" : ", led"}${won ? ", won" : ""}`;
          return make(
            "td", { class: `${won ? "won" : ""} ${turn ? "" : "led"}` },
            link(step, textOf(card), title),
          );
        }),
      ),
    );
    return make(
      "table", { class: "trick-list" },
      make("caption", { class: "spoken" }, `Round ${at.round}: calls and tricks`),
      make(
        "thead", {},
        make(
          "tr", {}, make("th", { scope: "col" }, spoken("Trick")),
          ...match.seats.map(({ name }) => make("th", { scope: "col", title: name }, name)),
        ),
      ),
      make(
        "tbody", {},
        make(
          "tr", {}, make("th", { scope: "row" }, "call"),
          ...round.calls.map((call, seat) => make("td", {}, link(callStep(seat), String(call), `calls ${call}`))),
        ),
        ...rows,
      ),
    );
  };

  const helpDialog = () => {
    const close = make("button", { type: "button", onclick: () => dialog.close() }, "Close");
    const dialog = make(
      "dialog", { class: "keys", "aria-label": "Keys" },
      make("h2", {}, "Keys"),
      make("dl", {}, ...KEYS.flatMap(([keys, what]) => [
        make("dt", {}, ...keys.split(" ").map((key) => make("kbd", {}, key))),
        make("dd", {}, what),
      ])),
      close,
    );
    return dialog;
  };

  const button = (name, title, key, onclick, isMirrored = false) =>
    make(
      "button", { type: "button", title: `${title} (${key})`, onclick, class: isMirrored ? "mirrored" : "" },
      icon(name), spoken(title),
    );

  const icon = (name) => {
    const drawn = arena.cards.shape("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" });
    drawn.append(arena.cards.shape("path", { d: ICONS[name] }));
    return drawn;
  };

  // A choice that lasts; where the browser keeps nothing, for the page.
  const keep = (key, value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      return;
    }
  };
  const kept = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };

  arena.replayView = replayView;
})((globalThis.arena ??= {}));
