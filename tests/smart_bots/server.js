// A Smart Bots server in Node: state in globals, reset by /bid; it ends on a request that it does not understand.
//
//     node server.js PORT
"use strict";
const http = require("node:http");
const { strict: assert } = require("node:assert");

const RANKS = "23456789TJQK1";
const SUITS = "SHCD";
let hand = [];

const rank = (card) => RANKS.indexOf(card[0]);
const suit = (card) => card[1];

function power(card, led) {
  if (suit(card) === "S") return 100 + rank(card);
  return suit(card) === led ? rank(card) : -1;
}

function wins(card, trick) {
  return trick.every((other) => power(card, suit(trick[0])) > power(other, suit(trick[0])));
}

function legal(trick) {
  if (trick.length === 0) return hand;
  const led = suit(trick[0]);
  const isTrumped = led !== "S" && trick.some((card) => suit(card) === "S");
  const same = hand.filter((card) => suit(card) === led);
  const beating = (same.length > 0 ? same : hand.filter((card) => suit(card) === "S")).filter((card) => wins(card, trick));
  if (same.length > 0) return beating.length > 0 && !isTrumped ? beating : same;
  return beating.length > 0 ? beating : hand;
}

function bid(body) {
  assert.equal(hand.length, 0, "a second /bid in a round");
  assert.equal(body.cards.length, 13);
  hand = [...body.cards];
  return 1 + hand.filter((card) => card[0] === "1").length;
}

function play(body) {
  assert.deepEqual(body.cards, hand, "a turn was not asked");
  assert.equal(body.history.length, 13 - hand.length);
  const card = legal(body.played).at(-1);
  hand = hand.filter((other) => other !== card);
  return card;
}

function sorted(cards) {
  return [...cards].sort((a, b) => SUITS.indexOf(suit(a)) - SUITS.indexOf(suit(b)) || rank(b) - rank(a));
}

http
  .createServer((request, response) => {
    if (request.method === "GET") return response.writeHead(request.url === "/hi" ? 200 : 404).end("hi");
    assert.equal(request.headers["content-type"], "application/json");
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const body = JSON.parse(text);
      assert.deepEqual(body.cards, sorted(body.cards));
      const value = { "/bid": bid, "/play": play }[request.url](body);
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ value }));
    });
  })
  .listen(Number(process.argv[2]), "127.0.0.1");
