package bot;

import static java.util.Comparator.comparingInt;
import static java.util.Comparator.naturalOrder;

import arena.v1.Game.Card;
import arena.v1.Game.Ruleset;
import arena.v1.Game.Success;
import arena.v1.Play.Ask;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/** Steady. Section numbers are those of docs/steady.md in the arena's repository, which defines this strategy. */
final class Strategy {
    static final String NAME = "steady-java";
    static final String VERSION = "1.0.0";
    static final int MAX_PARALLEL_MATCHES = 64;

    private static final int SPADES = 4;
    private static final int ACE = 14;

    // Hundredths of a trick. Plain honours, lengths and short suits go by the number of cards of the suit.
    private static final int[][] PLAIN_HONOURS = {
        {0, 0, 15, 30, 20, 10, 5}, // queen
        {0, 0, 70, 70, 60, 35, 10}, // king
        {0, 95, 100, 100, 100, 90, 80}, // ace
    };
    private static final int[] SPADE_HONOURS = {15, 30, 45, 80, 100}; // from the ten to the ace
    private static final int[] SPADE_LENGTH = {0, 0, 10, 60, 120, 180, 240, 310, 360, 420};
    private static final int[] SHORT_SUIT = {120, 75, 25};

    // How far the value of a hand may be off, and in how many cases of 64.
    private static final int[][] ERRORS = {{-210, 1}, {-140, 6}, {-70, 15}, {0, 20}, {70, 15}, {140, 6}, {210, 1}};

    private Strategy() {}

    /** The legal call with the highest expected score; of equals, the lowest. */
    static int chooseCall(Ask ask, Ruleset rules) {
        int value = handValue(ask.getHandList());
        ToIntFunction<Integer> score = call -> expectedScore(call, value, rules);
        return Collections.max(
                ask.getLegalCallsList(), comparingInt(score).thenComparing(Comparator.<Integer>reverseOrder()));
    }

    /** A legal card. */
    static Card chooseCard(Ask ask, Ruleset rules) {
        Memory memory = new Memory(ask);
        boolean isLeading = ask.getTrickCount() == 0;
        if (wantsTricks(ask, rules)) {
            return isLeading ? memory.lead() : memory.follow();
        }
        return isLeading ? lowest(ask.getLegalCardsList(), Strategy::rankOf) : memory.duck();
    }

    private static int suitOf(Card card) {
        return card.getNumber() / 16;
    }

    private static int rankOf(Card card) {
        return card.getNumber() % 16;
    }

    // 2. The call

    /** Tricks that a dealt hand may win, in hundredths. */
    private static int handValue(List<Card> hand) {
        int[] length = new int[SPADES + 1];
        hand.forEach(card -> length[suitOf(card)]++);
        int value = SPADE_LENGTH[Math.min(length[SPADES], 9)];
        for (Card card : hand) {
            int suit = suitOf(card);
            int rank = rankOf(card);
            if (suit == SPADES && rank >= 10) {
                value += SPADE_HONOURS[rank - 10];
            } else if (suit != SPADES && rank >= 12) {
                value += PLAIN_HONOURS[rank - 12][Math.min(length[suit], 6)];
            }
        }
        for (int suit = 1; suit < SPADES; suit++) {
            if (length[suit] < SHORT_SUIT.length) {
                value += SHORT_SUIT[length[suit]] * Math.min(length[SPADES], 3) / 3;
            }
        }
        return value;
    }

    /** What the call scores in tenths, summed over 64 cases of how many tricks the hand may win. */
    private static int expectedScore(int call, int value, Ruleset rules) {
        int sum = 0;
        for (int[] error : ERRORS) {
            int tricks = Math.max(0, Math.min(13, (value + error[0] + 50) / 100));
            sum += error[1] * score(call, tricks, rules);
        }
        return sum;
    }

    /** What a call scores with so many tricks, in tenths. */
    private static int score(int call, int tricks, Ruleset rules) {
        boolean isExact = rules.getSuccess() == Success.SUCCESS_EXACT_OR_ONE_OVER;
        boolean isMade = isExact ? tricks == call || tricks == call + 1 : tricks >= call;
        if (!isMade) {
            return -10 * call;
        }
        boolean hasBonus = rules.hasBonusCall() && call >= rules.getBonusCall();
        int points = hasBonus ? rules.getBonusPoints() : call;
        return 10 * points + rules.getOvertrickTenths() * (tricks - call);
    }

    private static boolean wantsTricks(Ask ask, Ruleset rules) {
        return rules.getSuccess() != Success.SUCCESS_EXACT_OR_ONE_OVER
                || ask.getTricksWon(ask.getSeat()) < ask.getCalls(ask.getSeat());
    }

    // 3. What is remembered

    /** What the cards played so far tell about those that are out: in one of the other three hands. */
    private static final class Memory {
        private final Ask ask;
        private final int[] out = new int[SPADES + 1]; // cards that are out, by suit
        private final int[] highestOut = new int[SPADES + 1]; // their highest rank; 0 when none is out
        private final int[] length = new int[SPADES + 1]; // cards in hand, by suit
        private final boolean[][] isVoid = new boolean[4][SPADES + 1];

        Memory(Ask ask) {
            this.ask = ask;
            ask.getHandList().forEach(card -> length[suitOf(card)]++);
            countOut();
            for (int i = 0; i < ask.getHistoryLeadersCount(); i++) {
                learn(ask.getHistoryLeaders(i), ask.getHistoryList().subList(4 * i, 4 * i + 4));
            }
            learn(ask.getTrickLeader(), ask.getTrickList());
        }

        private void countOut() {
            boolean[] isKnown = new boolean[16 * (SPADES + 1)];
            ask.getHandList().forEach(card -> isKnown[card.getNumber()] = true);
            ask.getHistoryList().forEach(card -> isKnown[card.getNumber()] = true);
            ask.getTrickList().forEach(card -> isKnown[card.getNumber()] = true);
            for (int suit = 1; suit <= SPADES; suit++) {
                for (int rank = 2; rank <= ACE; rank++) {
                    if (!isKnown[16 * suit + rank]) {
                        out[suit]++;
                        highestOut[suit] = rank;
                    }
                }
            }
        }

        /** Who did not follow suit has none of it. */
        private void learn(int leader, List<Card> trick) {
            for (int i = 0; i < trick.size(); i++) {
                int led = suitOf(trick.get(0));
                if (suitOf(trick.get(i)) != led) {
                    isVoid[(leader + i) % 4][led] = true;
                }
            }
        }

        private boolean hasNone(int seat, int suit) {
            return isVoid[seat][suit] || out[suit] == 0;
        }

        private boolean isMaster(Card card) {
            return rankOf(card) > highestOut[suitOf(card)];
        }

        /** Whether a lead of this plain suit may be trumped. */
        private boolean isRisky(int suit) {
            for (int i = 1; i < 4; i++) {
                int seat = (ask.getSeat() + i) % 4;
                if (hasNone(seat, suit) && !hasNone(seat, SPADES)) {
                    return true;
                }
            }
            return out[SPADES] > 0 && out[suit] <= 3;
        }

        /** How much the card would be missed. */
        private int worth(Card card) {
            return rankOf(card) + (suitOf(card) == SPADES ? 20 : 0) + (isMaster(card) ? 10 : 0);
        }

        // 4. The play

        /** The card to lead when tricks are wanted. */
        Card lead() {
            return lowest(ask.getLegalCardsList(), card -> -leadValue(card));
        }

        private int leadValue(Card card) {
            int suit = suitOf(card);
            int rank = rankOf(card);
            if (suit == SPADES) {
                return isMaster(card) && length[suit] > 2 ? 500 + rank : -2000 - 100 * rank;
            }
            if (isMaster(card) && !isRisky(suit)) {
                return 1000 - 100 * length[suit];
            }
            return -100 * rank - 100 * length[suit];
        }

        /** The card to play to a trick when tricks are wanted. */
        Card follow() {
            List<Card> winners = split(true);
            if (winners.isEmpty()) {
                return lowest(ask.getLegalCardsList(), this::worth);
            }
            Card cheapest = lowest(winners, this::worth);
            boolean isLast = ask.getTrickCount() == 3;
            if (isLast || suitOf(cheapest) == SPADES) {
                return cheapest;
            }
            return winners.stream().filter(this::isMaster).findFirst().orElse(cheapest);
        }

        /** The card to play to a trick when tricks are not wanted. */
        Card duck() {
            List<Card> losers = split(false);
            List<Card> choice = losers.isEmpty() ? ask.getLegalCardsList() : losers;
            return Collections.max(choice, comparingInt(this::worth).thenComparing(naturalOrder()));
        }

        /** The legal cards that would be the best of the trick so far, or the others. */
        private List<Card> split(boolean isWinning) {
            int led = suitOf(ask.getTrick(0));
            int best = ask.getTrickList().stream().mapToInt(card -> power(card, led)).max().orElseThrow();
            List<Card> chosen = new ArrayList<>(ask.getLegalCardsList());
            chosen.removeIf(card -> (power(card, led) > best) != isWinning);
            return chosen;
        }
    }

    /** Orders the cards of a trick: the highest wins it. */
    private static int power(Card card, int led) {
        if (suitOf(card) == SPADES) {
            return 100 + rankOf(card);
        }
        return suitOf(card) == led ? rankOf(card) : 0;
    }

    /** The card with the lowest measure; of equals, the one with the lowest number. */
    private static Card lowest(List<Card> cards, ToIntFunction<Card> measure) {
        return Collections.min(cards, comparingInt(measure).thenComparing(naturalOrder()));
    }
}
