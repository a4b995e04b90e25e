// Plays Call Break on the arena that ARENA_ADDRESS names. This file speaks the protocol
// (proto/arena/v1/play.proto); what to call and what to play is in strategy.ts.
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

import type { Answer } from "../build/arena/v1/Answer";
import type { Ask__Output as Ask } from "../build/arena/v1/Ask";
import { Decision } from "../build/arena/v1/Decision";
import type { PlayRequest } from "../build/arena/v1/PlayRequest";
import type { Ruleset__Output as Ruleset } from "../build/arena/v1/Ruleset";
import type { Turn__Output as Turn } from "../build/arena/v1/Turn";
import type { ProtoGrpcType } from "../build/play";
import { MAX_PARALLEL_MATCHES, NAME, VERSION, chooseCall, chooseCard } from "./strategy";

const PROTOCOL_VERSION = 1;
const PROTO_FOLDER = join(__dirname, "../../proto");
// The same options as in package.json, where the types are made.
const LOADER_OPTIONS = { includeDirs: [PROTO_FOLDER], longs: String, defaults: true, oneofs: true };

class Rejected extends Error {}

/** Keeps one stream to the arena until it says Goodbye. The address is unix:///path or host:port. */
async function play(address: string, token: string): Promise<void> {
  const definition = loadSync("arena/v1/play.proto", LOADER_OPTIONS);
  const { arena } = grpc.loadPackageDefinition(definition) as unknown as ProtoGrpcType;
  const client = new arena.v1.ArenaService(address, grpc.credentials.createInsecure(), {
    "grpc.enable_http_proxy": 0,
  });
  const stream = client.play();
  stream.on("error", () => {}); // it is thrown by the loop below, too
  try {
    stream.write(hello(token));
    const rules = new Map<number, Ruleset>(); // of the matches in play
    for await (const response of stream) {
      if (response.turn) replies(response.turn, rules).forEach((request) => stream.write(request));
      else if (response.rejection) throw new Rejected(response.rejection.reason);
      else if (response.goodbye) return;
    }
    throw new Error("the arena ended the stream without a Goodbye");
  } finally {
    stream.cancel();
    client.close();
  }
}

function hello(token: string): PlayRequest {
  return {
    hello: {
      protocolMin: PROTOCOL_VERSION,
      protocolMax: PROTOCOL_VERSION,
      name: NAME,
      version: VERSION,
      maxParallelMatches: MAX_PARALLEL_MATCHES,
      token,
    },
  };
}

/** What a turn asks for: Ready for the matches that start, one message with all the answers. */
function replies(turn: Turn, rules: Map<number, Ruleset>): PlayRequest[] {
  const requests: PlayRequest[] = [];
  for (const end of turn.matchEnds) rules.delete(end.matchId);
  if (turn.matchStarts.length > 0) {
    for (const start of turn.matchStarts) rules.set(start.matchId, start.ruleset!);
    requests.push({ ready: { matchIds: turn.matchStarts.map((start) => start.matchId) } });
  }
  if (turn.asks.length > 0) {
    requests.push({ answers: { answers: turn.asks.map((ask) => answer(ask, rules.get(ask.matchId)!)) } });
  }
  return requests;
}

function answer(ask: Ask, rules: Ruleset): Answer {
  return ask.decision === Decision.DECISION_CALL
    ? { askId: ask.askId, call: chooseCall(ask, rules) }
    : { askId: ask.askId, card: chooseCard(ask, rules) };
}

const address = process.env.ARENA_ADDRESS;
if (address) {
  play(address, process.env.ARENA_TOKEN ?? "").catch((problem: Error) => {
    console.error(problem instanceof Rejected ? `the arena rejects ${NAME}: ${problem.message}` : problem.message);
    process.exitCode = 1;
  });
} else {
  console.error("ARENA_ADDRESS is not set: the arena sets it when it starts the bot");
  process.exitCode = 2;
}
