// Command bot plays Call Break on the arena that ARENA_ADDRESS names. This file speaks the protocol
// (proto/arena/v1/play.proto); what to call and what to play is in strategy.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "bot/arenapb"
)

const protocolVersion = 1

func main() {
	log.SetFlags(0)
	address := os.Getenv("ARENA_ADDRESS")
	if address == "" {
		log.Print("ARENA_ADDRESS is not set: the arena sets it when it starts the bot")
		os.Exit(2)
	}
	if err := play(address, os.Getenv("ARENA_TOKEN")); err != nil {
		log.Fatal(err)
	}
}

// play keeps one stream to the arena until it says Goodbye. The address is unix:///path or host:port.
func play(address, token string) error {
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	stream, err := pb.NewArenaServiceClient(connection).Play(context.Background())
	if err != nil {
		return err
	}
	if err := stream.Send(hello(token)); err != nil {
		return err
	}
	rules := make(map[uint32]*pb.Ruleset) // of the matches in play
	for {
		response, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return errors.New("the arena ended the stream without a Goodbye")
		}
		if err != nil {
			return err
		}
		switch message := response.Message.(type) {
		case *pb.PlayResponse_Turn:
			for _, request := range replies(message.Turn, rules) {
				if err := stream.Send(request); err != nil {
					return err
				}
			}
		case *pb.PlayResponse_Rejection:
			return fmt.Errorf("the arena rejects %s: %s", Name, message.Rejection.Reason)
		case *pb.PlayResponse_Goodbye:
			return stream.CloseSend()
		}
	}
}

func hello(token string) *pb.PlayRequest {
	return &pb.PlayRequest{Message: &pb.PlayRequest_Hello{Hello: &pb.Hello{
		ProtocolMin:        protocolVersion,
		ProtocolMax:        protocolVersion,
		Name:               Name,
		Version:            Version,
		MaxParallelMatches: MaxParallelMatches,
		Token:              token,
	}}}
}

// replies says what a Turn asks for: Ready for the matches that start, one message with all the answers.
func replies(turn *pb.Turn, rules map[uint32]*pb.Ruleset) []*pb.PlayRequest {
	var requests []*pb.PlayRequest
	for _, end := range turn.MatchEnds {
		delete(rules, end.MatchId)
	}
	if len(turn.MatchStarts) > 0 {
		ready := &pb.Ready{}
		for _, start := range turn.MatchStarts {
			rules[start.MatchId] = start.Ruleset
			ready.MatchIds = append(ready.MatchIds, start.MatchId)
		}
		requests = append(requests, &pb.PlayRequest{Message: &pb.PlayRequest_Ready{Ready: ready}})
	}
	if len(turn.Asks) > 0 {
		answers := &pb.Answers{}
		for _, ask := range turn.Asks {
			answers.Answers = append(answers.Answers, answer(ask, rules[ask.MatchId]))
		}
		requests = append(requests, &pb.PlayRequest{Message: &pb.PlayRequest_Answers{Answers: answers}})
	}
	return requests
}

func answer(ask *pb.Ask, rules *pb.Ruleset) *pb.Answer {
	if ask.Decision == pb.Decision_DECISION_CALL {
		return &pb.Answer{AskId: ask.AskId, Decision: &pb.Answer_Call{Call: ChooseCall(ask, rules)}}
	}
	return &pb.Answer{AskId: ask.AskId, Decision: &pb.Answer_Card{Card: ChooseCard(ask, rules)}}
}
