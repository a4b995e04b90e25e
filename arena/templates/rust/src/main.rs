//! Plays Call Break on the arena that ARENA_ADDRESS names. This file speaks the protocol
//! (proto/arena/v1/play.proto); what to call and what to play is in strategy.rs.

#[allow(dead_code, clippy::all)]
mod protocol; // generated, see generate/
mod strategy;

use std::collections::HashMap;
use std::error::Error;
use std::process::ExitCode;

use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Channel, Endpoint};

use protocol::arena_service_client::ArenaServiceClient;
use protocol::play_request::Message as Request;
use protocol::play_response::Message as Response;
use protocol::{Answer, Answers, Ask, Decision, Hello, PlayRequest, Ready, Ruleset, Turn, answer};

const PROTOCOL_VERSION: u32 = 1;

fn main() -> ExitCode {
    let Ok(address) = std::env::var("ARENA_ADDRESS") else {
        eprintln!("ARENA_ADDRESS is not set: the arena sets it when it starts the bot");
        return ExitCode::from(2);
    };
    let token = std::env::var("ARENA_TOKEN").unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(play(&address, token)))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Keeps one stream to the arena until it says Goodbye. The address is unix:///path or host:port.
async fn play(address: &str, token: String) -> Result<(), Box<dyn Error>> {
    let mut client = ArenaServiceClient::new(dial(address).await?);
    let (outbox, requests) = mpsc::unbounded_channel();
    let send = |message| {
        outbox.send(PlayRequest {
            message: Some(message),
        })
    };
    send(hello(token))?;
    let mut stream = client
        .play(UnboundedReceiverStream::new(requests))
        .await?
        .into_inner();
    let mut rules = HashMap::new(); // of the matches in play
    while let Some(response) = stream.message().await? {
        match response.message {
            Some(Response::Turn(turn)) => {
                for request in replies(turn, &mut rules) {
                    send(request)?;
                }
            }
            Some(Response::Rejection(rejection)) => {
                return Err(
                    format!("the arena rejects {}: {}", strategy::NAME, rejection.reason).into(),
                );
            }
            Some(Response::Goodbye(_)) => return Ok(()),
            _ => {}
        }
    }
    Err("the arena ended the stream without a Goodbye".into())
}

async fn dial(address: &str) -> Result<Channel, tonic::transport::Error> {
    let is_socket = address.starts_with("unix:");
    let uri = if is_socket {
        address.to_owned()
    } else {
        format!("http://{address}")
    };
    Endpoint::from_shared(uri)?.connect().await
}

fn hello(token: String) -> Request {
    Request::Hello(Hello {
        protocol_min: PROTOCOL_VERSION,
        protocol_max: PROTOCOL_VERSION,
        name: strategy::NAME.into(),
        version: strategy::VERSION.into(),
        max_parallel_matches: strategy::MAX_PARALLEL_MATCHES,
        token,
        ..Hello::default()
    })
}

/// What a turn asks for: Ready for the matches that start, one message with all the answers.
fn replies(turn: Turn, rules: &mut HashMap<u32, Ruleset>) -> Vec<Request> {
    let mut requests = Vec::new();
    for end in turn.match_ends {
        rules.remove(&end.match_id);
    }
    if !turn.match_starts.is_empty() {
        let match_ids = turn
            .match_starts
            .iter()
            .map(|start| start.match_id)
            .collect();
        rules.extend(
            turn.match_starts
                .into_iter()
                .map(|start| (start.match_id, start.ruleset.unwrap_or_default())),
        );
        requests.push(Request::Ready(Ready { match_ids }));
    }
    if !turn.asks.is_empty() {
        let answers = turn
            .asks
            .iter()
            .map(|ask| answer(ask, &rules[&ask.match_id]))
            .collect();
        requests.push(Request::Answers(Answers { answers }));
    }
    requests
}

fn answer(ask: &Ask, rules: &Ruleset) -> Answer {
    let decision = if ask.decision() == Decision::Call {
        answer::Decision::Call(strategy::choose_call(ask, rules))
    } else {
        answer::Decision::Card(strategy::choose_card(ask, rules))
    };
    Answer {
        ask_id: ask.ask_id,
        decision: Some(decision),
        ..Answer::default()
    }
}
