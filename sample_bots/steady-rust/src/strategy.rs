//! Steady. Section numbers are those of docs/steady.md in the arena's repository, which defines this strategy.

use std::cmp::Reverse;

use crate::protocol::{Ask, Ruleset, Success};

/// What the bot says of itself.
pub const NAME: &str = "steady-rust";
pub const VERSION: &str = "1.0.0";
pub const MAX_PARALLEL_MATCHES: u32 = 64;

/// A card's number in the protocol.
type Card = i32;

const SPADES: usize = 4;
const RANKS: std::ops::RangeInclusive<i32> = 2..=14;

// Hundredths of a trick. Plain honours, lengths and short suits go by the number of cards of the suit.
const PLAIN_HONOURS: [(i32, [i32; 7]); 3] = [
    (14, [0, 95, 100, 100, 100, 90, 80]),
    (13, [0, 0, 70, 70, 60, 35, 10]),
    (12, [0, 0, 15, 30, 20, 10, 5]),
];
const SPADE_HONOURS: [(i32, i32); 5] = [(14, 100), (13, 80), (12, 45), (11, 30), (10, 15)];
const SPADE_LENGTH: [i32; 10] = [0, 0, 10, 60, 120, 180, 240, 310, 360, 420];
const SHORT_SUIT: [i32; 3] = [120, 75, 25];

/// How far the value of a hand may be off, and in how many cases of 64.
const ERRORS: [(i32, i32); 7] = [
    (-210, 1),
    (-140, 6),
    (-70, 15),
    (0, 20),
    (70, 15),
    (140, 6),
    (210, 1),
];

/// The legal call with the highest expected score; of equals, the lowest.
pub fn choose_call(ask: &Ask, rules: &Ruleset) -> u32 {
    let value = hand_value(&ask.hand);
    let score = |call: u32| expected_score(call as i32, value, rules);
    let calls = ask.legal_calls.iter().copied();
    calls
        .max_by_key(|&call| (score(call), Reverse(call)))
        .expect("a call is asked for")
}

/// A legal card.
pub fn choose_card(ask: &Ask, rules: &Ruleset) -> Card {
    let memory = Memory::new(ask);
    match (wants_tricks(ask, rules), ask.trick.is_empty()) {
        (true, true) => memory.lead(),
        (true, false) => memory.follow(),
        (false, true) => lowest(&ask.legal_cards, rank_of),
        (false, false) => memory.duck(),
    }
}

fn suit_of(card: Card) -> usize {
    card as usize / 16
}

fn rank_of(card: Card) -> i32 {
    card % 16
}

// 2. The call

/// Tricks that a dealt hand may win, in hundredths.
fn hand_value(hand: &[Card]) -> i32 {
    let mut length = [0; SPADES + 1];
    for &card in hand {
        length[suit_of(card)] += 1;
    }
    let cards = hand
        .iter()
        .map(|&card| card_value(card, length[suit_of(card)]));
    let short_suits = (1..SPADES).filter_map(|suit| SHORT_SUIT.get(length[suit]));
    let ruffs = short_suits.map(|worth| worth * length[SPADES].min(3) as i32 / 3);
    SPADE_LENGTH[length[SPADES].min(9)] + cards.sum::<i32>() + ruffs.sum::<i32>()
}

/// What a card adds to the value of a hand with so many cards of its suit.
fn card_value(card: Card, length: usize) -> i32 {
    let rank = rank_of(card);
    if suit_of(card) == SPADES {
        return SPADE_HONOURS
            .iter()
            .find(|honour| honour.0 == rank)
            .map_or(0, |honour| honour.1);
    }
    PLAIN_HONOURS
        .iter()
        .find(|honour| honour.0 == rank)
        .map_or(0, |honour| honour.1[length.min(6)])
}

/// What the call scores in tenths, summed over 64 cases of how many tricks the hand may win.
fn expected_score(call: i32, value: i32, rules: &Ruleset) -> i32 {
    let tricks = |error: i32| ((value + error + 50) / 100).clamp(0, 13);
    ERRORS
        .iter()
        .map(|&(error, cases)| cases * score(call, tricks(error), rules))
        .sum()
}

/// What a call scores with so many tricks, in tenths.
fn score(call: i32, tricks: i32, rules: &Ruleset) -> i32 {
    let is_made = match rules.success() {
        Success::ExactOrOneOver => tricks == call || tricks == call + 1,
        _ => tricks >= call,
    };
    if !is_made {
        return -10 * call;
    }
    let points = match rules.bonus_call {
        Some(bonus_call) if call >= bonus_call as i32 => rules.bonus_points() as i32,
        _ => call,
    };
    10 * points + rules.overtrick_tenths as i32 * (tricks - call)
}

fn wants_tricks(ask: &Ask, rules: &Ruleset) -> bool {
    let seat = ask.seat as usize;
    rules.success() != Success::ExactOrOneOver || ask.tricks_won[seat] < ask.calls[seat]
}

// 3. What is remembered

/// What the cards played so far tell about those that are out: in one of the other three hands.
struct Memory<'a> {
    ask: &'a Ask,
    /// Cards that are out, by suit.
    out: [usize; SPADES + 1],
    /// Their highest rank; 0 when none is out.
    highest_out: [i32; SPADES + 1],
    /// Cards in hand, by suit.
    length: [i32; SPADES + 1],
    is_void: [[bool; SPADES + 1]; 4],
}

impl<'a> Memory<'a> {
    fn new(ask: &'a Ask) -> Self {
        let mut memory = Memory {
            ask,
            out: [0; SPADES + 1],
            highest_out: [0; SPADES + 1],
            length: [0; SPADES + 1],
            is_void: [[false; SPADES + 1]; 4],
        };
        for &card in &ask.hand {
            memory.length[suit_of(card)] += 1;
        }
        memory.count_out();
        for (&leader, trick) in ask.history_leaders.iter().zip(ask.history.chunks_exact(4)) {
            memory.learn(leader, trick);
        }
        memory.learn(ask.trick_leader, &ask.trick);
        memory
    }

    fn count_out(&mut self) {
        let mut is_known = [false; 16 * (SPADES + 1)];
        for &card in self
            .ask
            .hand
            .iter()
            .chain(&self.ask.history)
            .chain(&self.ask.trick)
        {
            is_known[card as usize] = true;
        }
        for card in (1..=SPADES).flat_map(|suit| RANKS.map(move |rank| 16 * suit as i32 + rank)) {
            if !is_known[card as usize] {
                self.out[suit_of(card)] += 1;
                self.highest_out[suit_of(card)] = rank_of(card);
            }
        }
    }

    /// Who did not follow suit has none of it.
    fn learn(&mut self, leader: u32, trick: &[Card]) {
        for (i, &card) in trick.iter().enumerate() {
            let led = suit_of(trick[0]);
            if suit_of(card) != led {
                self.is_void[(leader as usize + i) % 4][led] = true;
            }
        }
    }

    fn has_none(&self, seat: usize, suit: usize) -> bool {
        self.is_void[seat][suit] || self.out[suit] == 0
    }

    fn is_master(&self, card: Card) -> bool {
        rank_of(card) > self.highest_out[suit_of(card)]
    }

    /// Whether a lead of this plain suit may be trumped.
    fn is_risky(&self, suit: usize) -> bool {
        let mut others = (1..4).map(|i| (self.ask.seat as usize + i) % 4);
        others.any(|seat| self.has_none(seat, suit) && !self.has_none(seat, SPADES))
            || self.out[SPADES] > 0 && self.out[suit] <= 3
    }

    /// How much the card would be missed.
    fn worth(&self, card: Card) -> i32 {
        let for_spade = if suit_of(card) == SPADES { 20 } else { 0 };
        let for_master = if self.is_master(card) { 10 } else { 0 };
        rank_of(card) + for_spade + for_master
    }

    // 4. The play

    /// The card to lead when tricks are wanted.
    fn lead(&self) -> Card {
        lowest(&self.ask.legal_cards, |card| -self.lead_value(card))
    }

    fn lead_value(&self, card: Card) -> i32 {
        let (suit, rank) = (suit_of(card), rank_of(card));
        let (is_master, length) = (self.is_master(card), self.length[suit]);
        match suit {
            SPADES if is_master && length > 2 => 500 + rank,
            SPADES => -2000 - 100 * rank,
            _ if is_master && !self.is_risky(suit) => 1000 - 100 * length,
            _ => -100 * rank - 100 * length,
        }
    }

    /// The card to play to a trick when tricks are wanted.
    fn follow(&self) -> Card {
        let (winners, _) = self.split();
        if winners.is_empty() {
            return lowest(&self.ask.legal_cards, |card| self.worth(card));
        }
        let cheapest = lowest(&winners, |card| self.worth(card));
        let is_last = self.ask.trick.len() == 3;
        if is_last || suit_of(cheapest) == SPADES {
            return cheapest;
        }
        winners
            .into_iter()
            .find(|&card| self.is_master(card))
            .unwrap_or(cheapest)
    }

    /// The card to play to a trick when tricks are not wanted.
    fn duck(&self) -> Card {
        let (winners, losers) = self.split();
        let choice = if losers.is_empty() { winners } else { losers };
        choice
            .into_iter()
            .max_by_key(|&card| (self.worth(card), card))
            .expect("a card is asked for")
    }

    /// The legal cards that would be the best of the trick so far, and the others.
    fn split(&self) -> (Vec<Card>, Vec<Card>) {
        let led = suit_of(self.ask.trick[0]);
        let best = self.ask.trick.iter().map(|&card| power(card, led)).max();
        self.ask
            .legal_cards
            .iter()
            .partition(|&&card| Some(power(card, led)) > best)
    }
}

/// Orders the cards of a trick: the highest wins it.
fn power(card: Card, led: usize) -> i32 {
    match suit_of(card) {
        SPADES => 100 + rank_of(card),
        suit if suit == led => rank_of(card),
        _ => 0,
    }
}

/// The card with the lowest measure; of equals, the one with the lowest number.
fn lowest(cards: &[Card], measure: impl Fn(Card) -> i32) -> Card {
    cards
        .iter()
        .copied()
        .min_by_key(|&card| (measure(card), card))
        .expect("a card is asked for")
}
