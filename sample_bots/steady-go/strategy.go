package main

import (
	"cmp"
	"slices"

	pb "bot/arenapb"
)

// What the bot says of itself.
const (
	Name               = "steady-go"
	Version            = "1.0.0"
	MaxParallelMatches = 64
)

// Section numbers are those of docs/steady.md in the arena's repository, which defines this strategy.

const (
	spades = 4
	ace    = 14
	king   = 13
	queen  = 12
)

// Hundredths of a trick, by the number of cards of the suit.
var (
	plainHonours = map[int][7]int{
		ace:   {0, 95, 100, 100, 100, 90, 80},
		king:  {0, 0, 70, 70, 60, 35, 10},
		queen: {0, 0, 15, 30, 20, 10, 5},
	}
	spadeHonours = map[int]int{ace: 100, king: 80, queen: 45, 11: 30, 10: 15}
	spadeLength  = [10]int{0, 0, 10, 60, 120, 180, 240, 310, 360, 420}
	shortSuit    = [3]int{120, 75, 25}
)

// How far the value of a hand may be off, and in how many cases of 64.
var valueErrors = [7]struct{ off, cases int }{
	{-210, 1}, {-140, 6}, {-70, 15}, {0, 20}, {70, 15}, {140, 6}, {210, 1},
}

func suitOf(card pb.Card) int { return int(card) / 16 }
func rankOf(card pb.Card) int { return int(card) % 16 }

// ChooseCall makes the legal call with the highest expected score; of equals, the lowest.
func ChooseCall(ask *pb.Ask, rules *pb.Ruleset) uint32 {
	value := handValue(ask.Hand)
	return slices.MaxFunc(ask.LegalCalls, func(a, b uint32) int {
		return cmp.Or(
			cmp.Compare(expectedScore(int(a), value, rules), expectedScore(int(b), value, rules)),
			cmp.Compare(b, a),
		)
	})
}

// ChooseCard plays a legal card.
func ChooseCard(ask *pb.Ask, rules *pb.Ruleset) pb.Card {
	memory := remember(ask)
	isLeading := len(ask.Trick) == 0
	switch {
	case wantsTricks(ask, rules) && isLeading:
		return memory.lead()
	case wantsTricks(ask, rules):
		return memory.follow()
	case isLeading:
		return lowest(ask.LegalCards, rankOf)
	default:
		return memory.duck()
	}
}

// 2. The call

// handValue is the tricks that a dealt hand may win, in hundredths.
func handValue(hand []pb.Card) int {
	var ranks [5][]int
	for _, card := range hand {
		ranks[suitOf(card)] = append(ranks[suitOf(card)], rankOf(card))
	}
	trumps := len(ranks[spades])
	value := spadeLength[min(trumps, 9)]
	for _, rank := range ranks[spades] {
		value += spadeHonours[rank]
	}
	for suit := 1; suit < spades; suit++ {
		length := len(ranks[suit])
		for _, rank := range ranks[suit] {
			value += plainHonours[rank][min(length, 6)]
		}
		if length < len(shortSuit) {
			value += shortSuit[length] * min(trumps, 3) / 3
		}
	}
	return value
}

// expectedScore is what the call scores in tenths, summed over 64 cases of how many tricks the hand may win.
func expectedScore(call, value int, rules *pb.Ruleset) int {
	sum := 0
	for _, e := range valueErrors {
		tricks := max(0, min(13, (value+e.off+50)/100))
		sum += e.cases * score(call, tricks, rules)
	}
	return sum
}

// score is what a call scores with so many tricks, in tenths.
func score(call, tricks int, rules *pb.Ruleset) int {
	isMade := tricks >= call
	if rules.Success == pb.Success_SUCCESS_EXACT_OR_ONE_OVER {
		isMade = tricks == call || tricks == call+1
	}
	if !isMade {
		return -10 * call
	}
	points := call
	if rules.BonusCall != nil && call >= int(*rules.BonusCall) {
		points = int(rules.GetBonusPoints())
	}
	return 10*points + int(rules.OvertrickTenths)*(tricks-call)
}

// 3. What is remembered

// memory is what the cards played so far tell about those that are out: in one of the other three hands.
type memory struct {
	ask        *pb.Ask
	out        [5]int // cards that are out, by suit
	highestOut [5]int // their highest rank; 0 when none is out
	length     [5]int // cards in hand, by suit
	isVoid     [4][5]bool
}

func remember(ask *pb.Ask) *memory {
	m := &memory{ask: ask}
	var isKnown [80]bool
	for _, cards := range [][]pb.Card{ask.Hand, ask.History, ask.Trick} {
		for _, card := range cards {
			isKnown[card] = true
		}
	}
	for _, card := range ask.Hand {
		m.length[suitOf(card)]++
	}
	for suit := 1; suit <= spades; suit++ {
		for rank := 2; rank <= ace; rank++ {
			if !isKnown[16*suit+rank] {
				m.out[suit]++
				m.highestOut[suit] = rank
			}
		}
	}
	for i, leader := range ask.HistoryLeaders {
		m.learn(leader, ask.History[4*i:4*i+4])
	}
	m.learn(ask.TrickLeader, ask.Trick)
	return m
}

// learn notes who did not follow suit.
func (m *memory) learn(leader uint32, trick []pb.Card) {
	for i, card := range trick {
		if led := suitOf(trick[0]); suitOf(card) != led {
			m.isVoid[(int(leader)+i)%4][led] = true
		}
	}
}

func (m *memory) hasNone(seat, suit int) bool {
	return m.isVoid[seat][suit] || m.out[suit] == 0
}

func (m *memory) isMaster(card pb.Card) bool {
	return rankOf(card) > m.highestOut[suitOf(card)]
}

// isRisky tells whether a lead of this plain suit may be trumped.
func (m *memory) isRisky(suit int) bool {
	for i := 1; i < 4; i++ {
		seat := (int(m.ask.Seat) + i) % 4
		if m.hasNone(seat, suit) && !m.hasNone(seat, spades) {
			return true
		}
	}
	return m.out[spades] > 0 && m.out[suit] <= 3
}

// worth tells how much the card would be missed.
func (m *memory) worth(card pb.Card) int {
	worth := rankOf(card)
	if suitOf(card) == spades {
		worth += 20
	}
	if m.isMaster(card) {
		worth += 10
	}
	return worth
}

// 4. The play

// lead is the card to lead when tricks are wanted.
func (m *memory) lead() pb.Card {
	return lowest(m.ask.LegalCards, func(card pb.Card) int { return -m.leadValue(card) })
}

func (m *memory) leadValue(card pb.Card) int {
	rank, length := rankOf(card), m.length[suitOf(card)]
	switch isMaster := m.isMaster(card); {
	case suitOf(card) == spades && isMaster && length > 2:
		return 500 + rank
	case suitOf(card) == spades:
		return -2000 - 100*rank
	case isMaster && !m.isRisky(suitOf(card)):
		return 1000 - 100*length
	default:
		return -100*rank - 100*length
	}
}

// follow is the card to play to a trick when tricks are wanted.
func (m *memory) follow() pb.Card {
	winners, _ := m.split()
	if len(winners) == 0 {
		return lowest(m.ask.LegalCards, m.worth)
	}
	cheapest := lowest(winners, m.worth)
	isLast := len(m.ask.Trick) == 3
	if isLast || suitOf(cheapest) == spades {
		return cheapest
	}
	for _, card := range winners {
		if m.isMaster(card) {
			return card
		}
	}
	return cheapest
}

// duck is the card to play to a trick when tricks are not wanted.
func (m *memory) duck() pb.Card {
	_, losers := m.split()
	if len(losers) == 0 {
		losers = m.ask.LegalCards
	}
	return slices.MaxFunc(losers, func(a, b pb.Card) int {
		return cmp.Or(cmp.Compare(m.worth(a), m.worth(b)), cmp.Compare(a, b))
	})
}

// split sorts the legal cards into those that would be the best of the trick so far, and the others.
func (m *memory) split() (winners, losers []pb.Card) {
	led := suitOf(m.ask.Trick[0])
	best := 0
	for _, card := range m.ask.Trick {
		best = max(best, power(card, led))
	}
	for _, card := range m.ask.LegalCards {
		if power(card, led) > best {
			winners = append(winners, card)
		} else {
			losers = append(losers, card)
		}
	}
	return winners, losers
}

// power orders the cards of a trick: the highest wins it.
func power(card pb.Card, led int) int {
	switch suitOf(card) {
	case spades:
		return 100 + rankOf(card)
	case led:
		return rankOf(card)
	default:
		return 0
	}
}

func wantsTricks(ask *pb.Ask, rules *pb.Ruleset) bool {
	return rules.Success != pb.Success_SUCCESS_EXACT_OR_ONE_OVER || ask.TricksWon[ask.Seat] < ask.Calls[ask.Seat]
}

// lowest is the card with the lowest measure; of equals, the one with the lowest number.
func lowest(cards []pb.Card, measure func(pb.Card) int) pb.Card {
	return slices.MinFunc(cards, func(a, b pb.Card) int {
		return cmp.Or(cmp.Compare(measure(a), measure(b)), cmp.Compare(a, b))
	})
}
