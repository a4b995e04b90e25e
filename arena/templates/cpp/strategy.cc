#include "strategy.h"

namespace v1 = arena::v1;

// How many tricks to call, before the first card: ask.hand() holds thirteen cards.
std::uint32_t ChooseCall(const v1::Ask& ask, const v1::Ruleset& /*rules*/) {
  return ask.legal_calls(0);
}

// Which card to play: look at ask.trick(), ask.history(), ask.calls(), ask.tricks_won(). A card's suit is
// card / 16 (1 clubs, 2 diamonds, 3 hearts, 4 spades), its rank card % 16 (2 to 14, the ace).
v1::Card ChooseCard(const v1::Ask& ask, const v1::Ruleset& /*rules*/) {
  return ask.legal_cards(0);
}
