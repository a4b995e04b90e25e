package bot;

import arena.v1.Game.Card;
import arena.v1.Game.Ruleset;
import arena.v1.Play.Ask;

/** What the bot decides. {@link Main} calls these methods and knows nothing of the game. */
final class Strategy {
    static final String NAME = "my-bot";
    static final String VERSION = "0.1.0";
    static final int MAX_PARALLEL_MATCHES = 64;

    private Strategy() {}

    /** How many tricks to call, before the first card: the hand holds thirteen cards. */
    static int chooseCall(Ask ask, Ruleset rules) {
        return ask.getLegalCalls(0);
    }

    /**
     * Which card to play: look at the trick, the history, the calls and the tricks won. A card's suit is its number
     * / 16 (1 clubs, 2 diamonds, 3 hearts, 4 spades), its rank the number % 16 (2 to 14, the ace).
     */
    static Card chooseCard(Ask ask, Ruleset rules) {
        return ask.getLegalCards(0);
    }
}
