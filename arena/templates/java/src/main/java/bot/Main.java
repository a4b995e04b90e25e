package bot;

import arena.v1.ArenaServiceGrpc;
import arena.v1.Game.Ruleset;
import arena.v1.Play.Answer;
import arena.v1.Play.Answers;
import arena.v1.Play.Ask;
import arena.v1.Play.Decision;
import arena.v1.Play.Hello;
import arena.v1.Play.MatchEnd;
import arena.v1.Play.MatchStart;
import arena.v1.Play.PlayRequest;
import arena.v1.Play.PlayResponse;
import arena.v1.Play.Ready;
import arena.v1.Play.Turn;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Plays Call Break on the arena that ARENA_ADDRESS names. This class speaks the protocol (arena/v1/play.proto); what
 * to call and what to play is in {@link Strategy}.
 */
public final class Main {
    private static final int PROTOCOL_VERSION = 1;

    // Netty warns of what does no harm here: no network card, no keepalive at a Unix socket. Kept in a field, since
    // loggers are else collected.
    private static final Logger NETTY = Logger.getLogger("io.grpc.netty.shaded.io.netty");

    /** Rules of the matches in play. */
    private final Map<Integer, Ruleset> rules = new HashMap<>();

    private final BlockingClientCall<PlayRequest, PlayResponse> stream;

    private Main(BlockingClientCall<PlayRequest, PlayResponse> stream) {
        this.stream = stream;
    }

    public static void main(String[] args) throws InterruptedException {
        String address = System.getenv("ARENA_ADDRESS"); // unix:///path or host:port
        if (address == null || address.isEmpty()) {
            leave(2, "ARENA_ADDRESS is not set: the arena sets it when it starts the bot");
        }
        NETTY.setLevel(Level.SEVERE);
        ManagedChannel channel =
                Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build();
        try {
            new Main(ArenaServiceGrpc.newBlockingV2Stub(channel).play()).play(System.getenv("ARENA_TOKEN"));
        } catch (StatusException problem) {
            leave(1, "the arena went away: " + problem.getMessage());
        } catch (StreamOver problem) {
            leave(1, problem.getMessage());
        }
        channel.shutdownNow();
    }

    private static void leave(int status, String line) {
        System.err.println(line);
        System.exit(status);
    }

    /** Keeps the stream until the arena says Goodbye. */
    private void play(String token) throws InterruptedException, StatusException, StreamOver {
        stream.write(hello(token == null ? "" : token));
        for (PlayResponse response = stream.read(); response != null; response = stream.read()) {
            switch (response.getMessageCase()) {
                case TURN -> reply(response.getTurn());
                case REJECTION -> throw new StreamOver(
                        "the arena rejects " + Strategy.NAME + ": " + response.getRejection().getReason());
                case GOODBYE -> {
                    stream.halfClose();
                    return;
                }
                default -> { }
            }
        }
        throw new StreamOver("the arena ended the stream without a Goodbye");
    }

    private static PlayRequest hello(String token) {
        return PlayRequest.newBuilder()
                .setHello(Hello.newBuilder()
                        .setProtocolMin(PROTOCOL_VERSION)
                        .setProtocolMax(PROTOCOL_VERSION)
                        .setName(Strategy.NAME)
                        .setVersion(Strategy.VERSION)
                        .setMaxParallelMatches(Strategy.MAX_PARALLEL_MATCHES)
                        .setToken(token))
                .build();
    }

    /** Sends what a turn asks for: Ready for the matches that start, one message with all the answers. */
    private void reply(Turn turn) throws InterruptedException, StatusException {
        for (MatchEnd end : turn.getMatchEndsList()) {
            rules.remove(end.getMatchId());
        }
        if (turn.getMatchStartsCount() > 0) {
            Ready.Builder ready = Ready.newBuilder();
            for (MatchStart start : turn.getMatchStartsList()) {
                rules.put(start.getMatchId(), start.getRuleset());
                ready.addMatchIds(start.getMatchId());
            }
            stream.write(PlayRequest.newBuilder().setReady(ready).build());
        }
        if (turn.getAsksCount() > 0) {
            Answers.Builder answers = Answers.newBuilder();
            for (Ask ask : turn.getAsksList()) {
                answers.addAnswers(answer(ask, rules.get(ask.getMatchId())));
            }
            stream.write(PlayRequest.newBuilder().setAnswers(answers).build());
        }
    }

    private static Answer.Builder answer(Ask ask, Ruleset rules) {
        Answer.Builder answer = Answer.newBuilder().setAskId(ask.getAskId());
        return ask.getDecision() == Decision.DECISION_CALL
                ? answer.setCall(Strategy.chooseCall(ask, rules))
                : answer.setCard(Strategy.chooseCard(ask, rules));
    }

    /** The arena rejects the bot, or ended the stream too soon. */
    private static final class StreamOver extends Exception {
        private static final long serialVersionUID = 1;

        StreamOver(String message) {
            super(message);
        }
    }
}
