import datetime

from arena.v1 import game_pb2 as _game_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Decision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECISION_UNSPECIFIED: _ClassVar[Decision]
    DECISION_CALL: _ClassVar[Decision]
    DECISION_PLAY: _ClassVar[Decision]
DECISION_UNSPECIFIED: Decision
DECISION_CALL: Decision
DECISION_PLAY: Decision

class PlayRequest(_message.Message):
    __slots__ = ("hello", "ready", "answers")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    ready: Ready
    answers: Answers
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., ready: _Optional[_Union[Ready, _Mapping]] = ..., answers: _Optional[_Union[Answers, _Mapping]] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("welcome", "rejection", "turn", "goodbye")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    REJECTION_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    rejection: Rejection
    turn: Turn
    goodbye: Goodbye
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., rejection: _Optional[_Union[Rejection, _Mapping]] = ..., turn: _Optional[_Union[Turn, _Mapping]] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("protocol_min", "protocol_max", "name", "version", "rulesets", "max_parallel_matches", "ask_forced_plays", "token")
    PROTOCOL_MIN_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_MAX_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    RULESETS_FIELD_NUMBER: _ClassVar[int]
    MAX_PARALLEL_MATCHES_FIELD_NUMBER: _ClassVar[int]
    ASK_FORCED_PLAYS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    protocol_min: int
    protocol_max: int
    name: str
    version: str
    rulesets: _containers.RepeatedScalarFieldContainer[str]
    max_parallel_matches: int
    ask_forced_plays: bool
    token: str
    def __init__(self, protocol_min: _Optional[int] = ..., protocol_max: _Optional[int] = ..., name: _Optional[str] = ..., version: _Optional[str] = ..., rulesets: _Optional[_Iterable[str]] = ..., max_parallel_matches: _Optional[int] = ..., ask_forced_plays: _Optional[bool] = ..., token: _Optional[str] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("protocol", "arena_version", "max_parallel_matches")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    ARENA_VERSION_FIELD_NUMBER: _ClassVar[int]
    MAX_PARALLEL_MATCHES_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    arena_version: str
    max_parallel_matches: int
    def __init__(self, protocol: _Optional[int] = ..., arena_version: _Optional[str] = ..., max_parallel_matches: _Optional[int] = ...) -> None: ...

class Rejection(_message.Message):
    __slots__ = ("reason", "kind")
    REASON_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    reason: str
    kind: _game_pb2.FaultKind
    def __init__(self, reason: _Optional[str] = ..., kind: _Optional[_Union[_game_pb2.FaultKind, str]] = ...) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class Turn(_message.Message):
    __slots__ = ("round_ends", "match_ends", "match_starts", "asks")
    ROUND_ENDS_FIELD_NUMBER: _ClassVar[int]
    MATCH_ENDS_FIELD_NUMBER: _ClassVar[int]
    MATCH_STARTS_FIELD_NUMBER: _ClassVar[int]
    ASKS_FIELD_NUMBER: _ClassVar[int]
    round_ends: _containers.RepeatedCompositeFieldContainer[RoundEnd]
    match_ends: _containers.RepeatedCompositeFieldContainer[MatchEnd]
    match_starts: _containers.RepeatedCompositeFieldContainer[MatchStart]
    asks: _containers.RepeatedCompositeFieldContainer[Ask]
    def __init__(self, round_ends: _Optional[_Iterable[_Union[RoundEnd, _Mapping]]] = ..., match_ends: _Optional[_Iterable[_Union[MatchEnd, _Mapping]]] = ..., match_starts: _Optional[_Iterable[_Union[MatchStart, _Mapping]]] = ..., asks: _Optional[_Iterable[_Union[Ask, _Mapping]]] = ...) -> None: ...

class MatchStart(_message.Message):
    __slots__ = ("match_id", "ruleset", "seat", "time_control")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    match_id: int
    ruleset: _game_pb2.Ruleset
    seat: int
    time_control: _game_pb2.TimeControl
    def __init__(self, match_id: _Optional[int] = ..., ruleset: _Optional[_Union[_game_pb2.Ruleset, _Mapping]] = ..., seat: _Optional[int] = ..., time_control: _Optional[_Union[_game_pb2.TimeControl, _Mapping]] = ...) -> None: ...

class Ready(_message.Message):
    __slots__ = ("match_ids",)
    MATCH_IDS_FIELD_NUMBER: _ClassVar[int]
    match_ids: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, match_ids: _Optional[_Iterable[int]] = ...) -> None: ...

class Ask(_message.Message):
    __slots__ = ("ask_id", "match_id", "decision", "seat", "round", "dealer", "hand", "legal_calls", "legal_cards", "calls", "tricks_won", "trick_leader", "trick", "history", "history_leaders", "score_tenths", "limit", "bank_left", "last_latency", "replacements", "random_seed")
    ASK_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    LEGAL_CALLS_FIELD_NUMBER: _ClassVar[int]
    LEGAL_CARDS_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    TRICKS_WON_FIELD_NUMBER: _ClassVar[int]
    TRICK_LEADER_FIELD_NUMBER: _ClassVar[int]
    TRICK_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    HISTORY_LEADERS_FIELD_NUMBER: _ClassVar[int]
    SCORE_TENTHS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    BANK_LEFT_FIELD_NUMBER: _ClassVar[int]
    LAST_LATENCY_FIELD_NUMBER: _ClassVar[int]
    REPLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    RANDOM_SEED_FIELD_NUMBER: _ClassVar[int]
    ask_id: int
    match_id: int
    decision: Decision
    seat: int
    round: int
    dealer: int
    hand: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    legal_calls: _containers.RepeatedScalarFieldContainer[int]
    legal_cards: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    calls: _containers.RepeatedScalarFieldContainer[int]
    tricks_won: _containers.RepeatedScalarFieldContainer[int]
    trick_leader: int
    trick: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    history: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    history_leaders: _containers.RepeatedScalarFieldContainer[int]
    score_tenths: _containers.RepeatedScalarFieldContainer[int]
    limit: _duration_pb2.Duration
    bank_left: _duration_pb2.Duration
    last_latency: _duration_pb2.Duration
    replacements: _containers.RepeatedCompositeFieldContainer[Replacement]
    random_seed: int
    def __init__(self, ask_id: _Optional[int] = ..., match_id: _Optional[int] = ..., decision: _Optional[_Union[Decision, str]] = ..., seat: _Optional[int] = ..., round: _Optional[int] = ..., dealer: _Optional[int] = ..., hand: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ..., legal_calls: _Optional[_Iterable[int]] = ..., legal_cards: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ..., calls: _Optional[_Iterable[int]] = ..., tricks_won: _Optional[_Iterable[int]] = ..., trick_leader: _Optional[int] = ..., trick: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ..., history: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ..., history_leaders: _Optional[_Iterable[int]] = ..., score_tenths: _Optional[_Iterable[int]] = ..., limit: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., bank_left: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., last_latency: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., replacements: _Optional[_Iterable[_Union[Replacement, _Mapping]]] = ..., random_seed: _Optional[int] = ...) -> None: ...

class Replacement(_message.Message):
    __slots__ = ("kind", "detail", "call", "card", "strikes", "strikes_allowed")
    KIND_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    STRIKES_FIELD_NUMBER: _ClassVar[int]
    STRIKES_ALLOWED_FIELD_NUMBER: _ClassVar[int]
    kind: _game_pb2.FaultKind
    detail: str
    call: int
    card: _game_pb2.Card
    strikes: int
    strikes_allowed: int
    def __init__(self, kind: _Optional[_Union[_game_pb2.FaultKind, str]] = ..., detail: _Optional[str] = ..., call: _Optional[int] = ..., card: _Optional[_Union[_game_pb2.Card, str]] = ..., strikes: _Optional[int] = ..., strikes_allowed: _Optional[int] = ...) -> None: ...

class Answers(_message.Message):
    __slots__ = ("answers",)
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[Answer]
    def __init__(self, answers: _Optional[_Iterable[_Union[Answer, _Mapping]]] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("ask_id", "call", "card", "note")
    ASK_ID_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    ask_id: int
    call: int
    card: _game_pb2.Card
    note: str
    def __init__(self, ask_id: _Optional[int] = ..., call: _Optional[int] = ..., card: _Optional[_Union[_game_pb2.Card, str]] = ..., note: _Optional[str] = ...) -> None: ...

class RoundEnd(_message.Message):
    __slots__ = ("match_id", "round", "calls", "tricks_won", "score_tenths", "history", "history_leaders")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    TRICKS_WON_FIELD_NUMBER: _ClassVar[int]
    SCORE_TENTHS_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    HISTORY_LEADERS_FIELD_NUMBER: _ClassVar[int]
    match_id: int
    round: int
    calls: _containers.RepeatedScalarFieldContainer[int]
    tricks_won: _containers.RepeatedScalarFieldContainer[int]
    score_tenths: _containers.RepeatedScalarFieldContainer[int]
    history: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    history_leaders: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, match_id: _Optional[int] = ..., round: _Optional[int] = ..., calls: _Optional[_Iterable[int]] = ..., tricks_won: _Optional[_Iterable[int]] = ..., score_tenths: _Optional[_Iterable[int]] = ..., history: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ..., history_leaders: _Optional[_Iterable[int]] = ...) -> None: ...

class MatchEnd(_message.Message):
    __slots__ = ("match_id", "total_tenths", "places", "faults", "forfeited", "replacements")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TENTHS_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    REPLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    match_id: int
    total_tenths: _containers.RepeatedScalarFieldContainer[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    faults: _containers.RepeatedScalarFieldContainer[_game_pb2.FaultKind]
    forfeited: bool
    replacements: _containers.RepeatedCompositeFieldContainer[Replacement]
    def __init__(self, match_id: _Optional[int] = ..., total_tenths: _Optional[_Iterable[int]] = ..., places: _Optional[_Iterable[int]] = ..., faults: _Optional[_Iterable[_Union[_game_pb2.FaultKind, str]]] = ..., forfeited: _Optional[bool] = ..., replacements: _Optional[_Iterable[_Union[Replacement, _Mapping]]] = ...) -> None: ...
