from arena.v1 import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Sandbox(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANDBOX_UNSPECIFIED: _ClassVar[Sandbox]
    SANDBOX_NONE: _ClassVar[Sandbox]
    SANDBOX_BWRAP: _ClassVar[Sandbox]

class RedealReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REDEAL_REASON_UNSPECIFIED: _ClassVar[RedealReason]
    REDEAL_REASON_NO_SPADE: _ClassVar[RedealReason]
    REDEAL_REASON_NO_FACE_CARD: _ClassVar[RedealReason]
SANDBOX_UNSPECIFIED: Sandbox
SANDBOX_NONE: Sandbox
SANDBOX_BWRAP: Sandbox
REDEAL_REASON_UNSPECIFIED: RedealReason
REDEAL_REASON_NO_SPADE: RedealReason
REDEAL_REASON_NO_FACE_CARD: RedealReason

class MatchRecord(_message.Message):
    __slots__ = ("format", "match_id", "position", "table", "set", "rotation", "ruleset", "time_control", "strikes_allowed", "sandbox", "seed_commitment", "is_practice", "seats", "rounds", "faults", "total_tenths", "places", "timing", "freeze")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    STRIKES_ALLOWED_FIELD_NUMBER: _ClassVar[int]
    SANDBOX_FIELD_NUMBER: _ClassVar[int]
    SEED_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    IS_PRACTICE_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TENTHS_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    FREEZE_FIELD_NUMBER: _ClassVar[int]
    format: int
    match_id: str
    position: int
    table: int
    set: int
    rotation: int
    ruleset: _game_pb2.Ruleset
    time_control: _game_pb2.TimeControl
    strikes_allowed: int
    sandbox: Sandbox
    seed_commitment: bytes
    is_practice: bool
    seats: _containers.RepeatedCompositeFieldContainer[SeatRecord]
    rounds: _containers.RepeatedCompositeFieldContainer[RoundRecord]
    faults: _containers.RepeatedCompositeFieldContainer[FaultRecord]
    total_tenths: _containers.RepeatedScalarFieldContainer[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    timing: MatchTiming
    freeze: bool
    def __init__(self, format: _Optional[int] = ..., match_id: _Optional[str] = ..., position: _Optional[int] = ..., table: _Optional[int] = ..., set: _Optional[int] = ..., rotation: _Optional[int] = ..., ruleset: _Optional[_Union[_game_pb2.Ruleset, _Mapping]] = ..., time_control: _Optional[_Union[_game_pb2.TimeControl, _Mapping]] = ..., strikes_allowed: _Optional[int] = ..., sandbox: _Optional[_Union[Sandbox, str]] = ..., seed_commitment: _Optional[bytes] = ..., is_practice: _Optional[bool] = ..., seats: _Optional[_Iterable[_Union[SeatRecord, _Mapping]]] = ..., rounds: _Optional[_Iterable[_Union[RoundRecord, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[FaultRecord, _Mapping]]] = ..., total_tenths: _Optional[_Iterable[int]] = ..., places: _Optional[_Iterable[int]] = ..., timing: _Optional[_Union[MatchTiming, _Mapping]] = ..., freeze: _Optional[bool] = ...) -> None: ...

class SeatRecord(_message.Message):
    __slots__ = ("bot", "version", "content_hash", "strikes", "forfeited")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    STRIKES_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    content_hash: str
    strikes: int
    forfeited: bool
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., content_hash: _Optional[str] = ..., strikes: _Optional[int] = ..., forfeited: _Optional[bool] = ...) -> None: ...

class RoundRecord(_message.Message):
    __slots__ = ("round", "dealer", "hands", "calls", "plays", "leaders", "tricks_won", "score_tenths", "redeals", "notes")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    PLAYS_FIELD_NUMBER: _ClassVar[int]
    LEADERS_FIELD_NUMBER: _ClassVar[int]
    TRICKS_WON_FIELD_NUMBER: _ClassVar[int]
    SCORE_TENTHS_FIELD_NUMBER: _ClassVar[int]
    REDEALS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    round: int
    dealer: int
    hands: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    calls: _containers.RepeatedScalarFieldContainer[int]
    plays: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    leaders: _containers.RepeatedScalarFieldContainer[int]
    tricks_won: _containers.RepeatedScalarFieldContainer[int]
    score_tenths: _containers.RepeatedScalarFieldContainer[int]
    redeals: _containers.RepeatedCompositeFieldContainer[Redeal]
    notes: _containers.RepeatedCompositeFieldContainer[Note]
    def __init__(self, round: _Optional[int] = ..., dealer: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ..., calls: _Optional[_Iterable[int]] = ..., plays: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ..., leaders: _Optional[_Iterable[int]] = ..., tricks_won: _Optional[_Iterable[int]] = ..., score_tenths: _Optional[_Iterable[int]] = ..., redeals: _Optional[_Iterable[_Union[Redeal, _Mapping]]] = ..., notes: _Optional[_Iterable[_Union[Note, _Mapping]]] = ...) -> None: ...

class Redeal(_message.Message):
    __slots__ = ("seat", "reason")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    reason: RedealReason
    def __init__(self, seat: _Optional[int] = ..., reason: _Optional[_Union[RedealReason, str]] = ...) -> None: ...

class Note(_message.Message):
    __slots__ = ("decision", "text")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    decision: int
    text: str
    def __init__(self, decision: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class FaultRecord(_message.Message):
    __slots__ = ("seat", "kind", "round", "trick", "decision", "answer", "replaced_by", "detail", "forfeits")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TRICK_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    REPLACED_BY_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    kind: _game_pb2.FaultKind
    round: int
    trick: int
    decision: int
    answer: str
    replaced_by: str
    detail: str
    forfeits: bool
    def __init__(self, seat: _Optional[int] = ..., kind: _Optional[_Union[_game_pb2.FaultKind, str]] = ..., round: _Optional[int] = ..., trick: _Optional[int] = ..., decision: _Optional[int] = ..., answer: _Optional[str] = ..., replaced_by: _Optional[str] = ..., detail: _Optional[str] = ..., forfeits: _Optional[bool] = ...) -> None: ...

class MatchTiming(_message.Message):
    __slots__ = ("started_unix_us", "duration_us", "rounds", "stalls", "output")
    STARTED_UNIX_US_FIELD_NUMBER: _ClassVar[int]
    DURATION_US_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    STALLS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    started_unix_us: int
    duration_us: int
    rounds: _containers.RepeatedCompositeFieldContainer[RoundTiming]
    stalls: _containers.RepeatedCompositeFieldContainer[Stall]
    output: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, started_unix_us: _Optional[int] = ..., duration_us: _Optional[int] = ..., rounds: _Optional[_Iterable[_Union[RoundTiming, _Mapping]]] = ..., stalls: _Optional[_Iterable[_Union[Stall, _Mapping]]] = ..., output: _Optional[_Iterable[str]] = ...) -> None: ...

class RoundTiming(_message.Message):
    __slots__ = ("decision_us", "asked", "cpu_us")
    DECISION_US_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    CPU_US_FIELD_NUMBER: _ClassVar[int]
    decision_us: _containers.RepeatedScalarFieldContainer[int]
    asked: _containers.RepeatedScalarFieldContainer[bool]
    cpu_us: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, decision_us: _Optional[_Iterable[int]] = ..., asked: _Optional[_Iterable[bool]] = ..., cpu_us: _Optional[_Iterable[int]] = ...) -> None: ...

class Stall(_message.Message):
    __slots__ = ("after_us", "late_us")
    AFTER_US_FIELD_NUMBER: _ClassVar[int]
    LATE_US_FIELD_NUMBER: _ClassVar[int]
    after_us: int
    late_us: int
    def __init__(self, after_us: _Optional[int] = ..., late_us: _Optional[int] = ...) -> None: ...
