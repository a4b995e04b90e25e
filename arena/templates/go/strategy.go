package main

import pb "bot/arenapb"

// What the bot says of itself.
const (
	Name               = "my-bot"
	Version            = "0.1.0"
	MaxParallelMatches = 64
)

// ChooseCall says how many tricks to call, before the first card: ask.Hand holds thirteen cards.
func ChooseCall(ask *pb.Ask, rules *pb.Ruleset) uint32 {
	return ask.LegalCalls[0]
}

// ChooseCard says which card to play: look at ask.Trick, ask.History, ask.Calls, ask.TricksWon. A card's suit is
// card / 16 (1 clubs, 2 diamonds, 3 hearts, 4 spades), its rank card % 16 (2 to 14, the ace).
func ChooseCard(ask *pb.Ask, rules *pb.Ruleset) pb.Card {
	return ask.LegalCards[0]
}
