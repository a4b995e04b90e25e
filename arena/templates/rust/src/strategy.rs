//! What the bot decides. main.rs calls these and knows nothing of the game.

use crate::protocol::{Ask, Ruleset};

/// What the bot says of itself.
pub const NAME: &str = "my-bot";
pub const VERSION: &str = "0.1.0";
pub const MAX_PARALLEL_MATCHES: u32 = 64;

/// How many tricks to call, before the first card: `ask.hand` holds thirteen cards.
pub fn choose_call(ask: &Ask, _rules: &Ruleset) -> u32 {
    ask.legal_calls[0]
}

/// Which card to play: look at `ask.trick`, `ask.history`, `ask.calls`, `ask.tricks_won`. A card's suit is
/// card / 16 (1 clubs, 2 diamonds, 3 hearts, 4 spades), its rank card % 16 (2 to 14, the ace).
pub fn choose_card(ask: &Ask, _rules: &Ruleset) -> i32 {
    ask.legal_cards[0]
}
