// Section numbers are those of docs/steady.md in the arena's repository, which defines this strategy.
#include "strategy.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

namespace v1 = arena::v1;

namespace {

using Cards = std::vector<v1::Card>;

constexpr int kSpades = 4;
constexpr int kAce = 14;

// Hundredths of a trick. Plain honours, lengths and short suits go by the number of cards of the suit.
constexpr std::array<std::array<int, 7>, 3> kPlainHonours = {{
    {0, 0, 15, 30, 20, 10, 5},     // queen
    {0, 0, 70, 70, 60, 35, 10},    // king
    {0, 95, 100, 100, 100, 90, 80}  // ace
}};
constexpr std::array<int, 5> kSpadeHonours = {15, 30, 45, 80, 100};  // from the ten to the ace
constexpr std::array<int, 10> kSpadeLength = {0, 0, 10, 60, 120, 180, 240, 310, 360, 420};
constexpr std::array<int, 3> kShortSuit = {120, 75, 25};

// How far the value of a hand may be off, and in how many cases of 64.
constexpr std::array<std::pair<int, int>, 7> kErrors = {
    {{-210, 1}, {-140, 6}, {-70, 15}, {0, 20}, {70, 15}, {140, 6}, {210, 1}}};

int SuitOf(v1::Card card) { return card / 16; }
int RankOf(v1::Card card) { return card % 16; }

template <typename Numbers>
Cards CardsOf(const Numbers& numbers) {
  Cards cards;
  for (const int number : numbers) cards.push_back(static_cast<v1::Card>(number));
  return cards;
}

// The card with the lowest measure; of equals, the one with the lowest number.
template <typename Measure>
v1::Card Lowest(const Cards& cards, Measure measure) {
  return *std::min_element(cards.begin(), cards.end(), [&](v1::Card a, v1::Card b) {
    return std::pair(measure(a), a) < std::pair(measure(b), b);
  });
}

// 2. The call

// Tricks that a dealt hand may win, in hundredths.
int HandValue(const Cards& hand) {
  std::array<int, 5> length{};
  for (const v1::Card card : hand) ++length[SuitOf(card)];
  int value = kSpadeLength[std::min(length[kSpades], 9)];
  for (const v1::Card card : hand) {
    const int suit = SuitOf(card), rank = RankOf(card);
    if (suit == kSpades && rank >= 10) value += kSpadeHonours[rank - 10];
    if (suit != kSpades && rank >= 12) value += kPlainHonours[rank - 12][std::min(length[suit], 6)];
  }
  for (int suit = 1; suit < kSpades; ++suit) {
    if (length[suit] < 3) value += kShortSuit[length[suit]] * std::min(length[kSpades], 3) / 3;
  }
  return value;
}

// What a call scores with so many tricks, in tenths.
int Score(int call, int tricks, const v1::Ruleset& rules) {
  const bool is_exact = rules.success() == v1::SUCCESS_EXACT_OR_ONE_OVER;
  const bool is_made = is_exact ? tricks == call || tricks == call + 1 : tricks >= call;
  if (!is_made) return -10 * call;
  const bool has_bonus = rules.has_bonus_call() && call >= static_cast<int>(rules.bonus_call());
  const int points = has_bonus ? static_cast<int>(rules.bonus_points()) : call;
  return 10 * points + static_cast<int>(rules.overtrick_tenths()) * (tricks - call);
}

// What the call scores in tenths, summed over 64 cases of how many tricks the hand may win.
int ExpectedScore(int call, int value, const v1::Ruleset& rules) {
  int sum = 0;
  for (const auto& [error, cases] : kErrors) {
    sum += cases * Score(call, std::clamp((value + error + 50) / 100, 0, 13), rules);
  }
  return sum;
}

// 3. What is remembered

// What the cards played so far tell about those that are out: in one of the other three hands.
class Memory {
 public:
  explicit Memory(const v1::Ask& ask) : seat_(ask.seat()) {
    hand_ = CardsOf(ask.hand());
    legal_ = CardsOf(ask.legal_cards());
    trick_ = CardsOf(ask.trick());
    const Cards history = CardsOf(ask.history());
    for (const v1::Card card : hand_) ++length_[SuitOf(card)];
    CountOut(history);
    for (int i = 0; i < ask.history_leaders_size(); ++i) {
      Learn(ask.history_leaders(i), Cards(history.begin() + 4 * i, history.begin() + 4 * i + 4));
    }
    Learn(ask.trick_leader(), trick_);
  }

  // 4. The play

  // The card to lead when tricks are wanted.
  v1::Card Lead() const {
    return Lowest(legal_, [this](v1::Card card) { return -LeadValue(card); });
  }

  // The card to play to a trick when tricks are wanted.
  v1::Card Follow() const {
    const auto worth = [this](v1::Card card) { return Worth(card); };
    const Cards winners = Split(true);
    if (winners.empty()) return Lowest(legal_, worth);
    const v1::Card cheapest = Lowest(winners, worth);
    const bool is_last = trick_.size() == 3;
    if (is_last || SuitOf(cheapest) == kSpades) return cheapest;
    for (const v1::Card card : winners) {
      if (IsMaster(card)) return card;
    }
    return cheapest;
  }

  // The card to lead when tricks are not wanted.
  v1::Card LeadLow() const { return Lowest(legal_, RankOf); }

  // The card to play to a trick when tricks are not wanted.
  v1::Card Duck() const {
    const Cards losers = Split(false);
    const Cards& choice = losers.empty() ? legal_ : losers;
    return *std::max_element(choice.begin(), choice.end(), [this](v1::Card a, v1::Card b) {
      return std::pair(Worth(a), a) < std::pair(Worth(b), b);
    });
  }

  bool IsLeading() const { return trick_.empty(); }

 private:
  void CountOut(const Cards& history) {
    std::array<bool, 80> is_known{};
    for (const v1::Card card : hand_) is_known[card] = true;
    for (const v1::Card card : trick_) is_known[card] = true;
    for (const v1::Card card : history) is_known[card] = true;
    for (int suit = 1; suit <= kSpades; ++suit) {
      for (int rank = 2; rank <= kAce; ++rank) {
        if (is_known[16 * suit + rank]) continue;
        ++out_[suit];
        highest_out_[suit] = rank;
      }
    }
  }

  // Who did not follow suit has none of it.
  void Learn(int leader, const Cards& trick) {
    for (std::size_t i = 0; i < trick.size(); ++i) {
      const int led = SuitOf(trick[0]);
      if (SuitOf(trick[i]) != led) is_void_[(leader + i) % 4][led] = true;
    }
  }

  bool HasNone(int seat, int suit) const { return is_void_[seat][suit] || out_[suit] == 0; }

  bool IsMaster(v1::Card card) const { return RankOf(card) > highest_out_[SuitOf(card)]; }

  // Whether a lead of this plain suit may be trumped.
  bool IsRisky(int suit) const {
    for (int i = 1; i < 4; ++i) {
      const int seat = (seat_ + i) % 4;
      if (HasNone(seat, suit) && !HasNone(seat, kSpades)) return true;
    }
    return out_[kSpades] > 0 && out_[suit] <= 3;
  }

  // How much the card would be missed.
  int Worth(v1::Card card) const {
    return RankOf(card) + (SuitOf(card) == kSpades ? 20 : 0) + (IsMaster(card) ? 10 : 0);
  }

  int LeadValue(v1::Card card) const {
    const int suit = SuitOf(card), rank = RankOf(card), length = length_[suit];
    const bool is_master = IsMaster(card);
    if (suit == kSpades) return is_master && length > 2 ? 500 + rank : -2000 - 100 * rank;
    if (is_master && !IsRisky(suit)) return 1000 - 100 * length;
    return -100 * rank - 100 * length;
  }

  // The legal cards that would be the best of the trick so far, or the others.
  Cards Split(bool is_winning) const {
    const int led = SuitOf(trick_[0]);
    int best = 0;
    for (const v1::Card card : trick_) best = std::max(best, Power(card, led));
    Cards chosen;
    for (const v1::Card card : legal_) {
      if ((Power(card, led) > best) == is_winning) chosen.push_back(card);
    }
    return chosen;
  }

  // Orders the cards of a trick: the highest wins it.
  static int Power(v1::Card card, int led) {
    if (SuitOf(card) == kSpades) return 100 + RankOf(card);
    return SuitOf(card) == led ? RankOf(card) : 0;
  }

  int seat_;
  Cards hand_, legal_, trick_;
  std::array<int, 5> length_{};
  std::array<int, 5> out_{};
  std::array<int, 5> highest_out_{};
  std::array<std::array<bool, 5>, 4> is_void_{};
};

bool WantsTricks(const v1::Ask& ask, const v1::Ruleset& rules) {
  if (rules.success() != v1::SUCCESS_EXACT_OR_ONE_OVER) return true;
  return ask.tricks_won(ask.seat()) < ask.calls(ask.seat());
}

}  // namespace

std::uint32_t ChooseCall(const v1::Ask& ask, const v1::Ruleset& rules) {
  const int value = HandValue(CardsOf(ask.hand()));
  const auto& calls = ask.legal_calls();
  return *std::max_element(calls.begin(), calls.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int a_score = ExpectedScore(a, value, rules), b_score = ExpectedScore(b, value, rules);
    return std::tuple(a_score, b) < std::tuple(b_score, a);
  });
}

v1::Card ChooseCard(const v1::Ask& ask, const v1::Ruleset& rules) {
  const Memory memory(ask);
  if (WantsTricks(ask, rules)) return memory.IsLeading() ? memory.Lead() : memory.Follow();
  return memory.IsLeading() ? memory.LeadLow() : memory.Duck();
}
