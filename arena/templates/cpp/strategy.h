// What the bot decides. main.cc calls these and knows nothing of the game.
#pragma once

#include <cstdint>

#include "arena/v1/play.pb.h"

// What the bot says of itself.
inline constexpr char kName[] = "my-bot";
inline constexpr char kVersion[] = "0.1.0";
inline constexpr std::uint32_t kMaxParallelMatches = 64;

// One of ask.legal_calls().
std::uint32_t ChooseCall(const arena::v1::Ask& ask, const arena::v1::Ruleset& rules);

// One of ask.legal_cards().
arena::v1::Card ChooseCard(const arena::v1::Ask& ask, const arena::v1::Ruleset& rules);
