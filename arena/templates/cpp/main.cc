// Plays Call Break on the arena that ARENA_ADDRESS names. This file speaks the protocol
// (proto/arena/v1/play.proto); what to call and what to play is in strategy.cc.
#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <unordered_map>

#include "arena/v1/play.grpc.pb.h"
#include "strategy.h"

namespace v1 = arena::v1;

namespace {

constexpr std::uint32_t kProtocolVersion = 1;
constexpr char kBroken[] = "the arena ended the stream without a Goodbye";

using Rules = std::unordered_map<std::uint32_t, v1::Ruleset>;
using Stream = grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>;

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

v1::PlayRequest Hello(const std::string& token) {
  v1::PlayRequest request;
  v1::Hello* hello = request.mutable_hello();
  hello->set_protocol_min(kProtocolVersion);
  hello->set_protocol_max(kProtocolVersion);
  hello->set_name(kName);
  hello->set_version(kVersion);
  hello->set_max_parallel_matches(kMaxParallelMatches);
  hello->set_token(token);
  return request;
}

void Decide(const v1::Ask& ask, const v1::Ruleset& rules, v1::Answer* answer) {
  answer->set_ask_id(ask.ask_id());
  if (ask.decision() == v1::DECISION_CALL) {
    answer->set_call(ChooseCall(ask, rules));
  } else {
    answer->set_card(ChooseCard(ask, rules));
  }
}

// Sends what a turn asks for: Ready for the matches that start, one message with all the answers.
bool Reply(const v1::Turn& turn, Rules& rules, Stream& stream) {
  for (const v1::MatchEnd& end : turn.match_ends()) rules.erase(end.match_id());
  if (turn.match_starts_size() > 0) {
    v1::PlayRequest request;
    for (const v1::MatchStart& start : turn.match_starts()) {
      rules[start.match_id()] = start.ruleset();
      request.mutable_ready()->add_match_ids(start.match_id());
    }
    if (!stream.Write(request)) return false;
  }
  if (turn.asks_size() > 0) {
    v1::PlayRequest request;
    for (const v1::Ask& ask : turn.asks()) {
      Decide(ask, rules[ask.match_id()], request.mutable_answers()->add_answers());
    }
    if (!stream.Write(request)) return false;
  }
  return true;
}

// Talks until the arena says Goodbye; what is wrong, or nothing.
std::string Converse(Stream& stream, const std::string& token) {
  Rules rules;  // of the matches in play
  v1::PlayResponse response;
  bool is_open = stream.Write(Hello(token));
  while (is_open && stream.Read(&response)) {
    if (response.has_goodbye()) return "";
    if (response.has_rejection()) {
      return std::string("the arena rejects ") + kName + ": " + response.rejection().reason();
    }
    if (response.has_turn()) is_open = Reply(response.turn(), rules, stream);
  }
  return kBroken;
}

}  // namespace

int main() {
  const std::string address = FromEnvironment("ARENA_ADDRESS");  // unix:///path or host:port
  if (address.empty()) {
    std::cerr << "ARENA_ADDRESS is not set: the arena sets it when it starts the bot" << std::endl;
    return 2;
  }
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  const auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  const auto stub = v1::ArenaService::NewStub(channel);
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = stub->Play(&context);
  std::string problem = Converse(*stream, FromEnvironment("ARENA_TOKEN"));
  if (problem != kBroken) context.TryCancel();  // all is said: nothing more is to be waited for
  const grpc::Status status = stream->Finish();
  if (problem.empty()) return 0;
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    problem = "the arena went away: " + status.error_message();
  }
  std::cerr << problem << std::endl;
  return 1;
}
