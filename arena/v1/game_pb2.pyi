import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Card(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CARD_UNSPECIFIED: _ClassVar[Card]
    CARD_CLUBS_TWO: _ClassVar[Card]
    CARD_CLUBS_THREE: _ClassVar[Card]
    CARD_CLUBS_FOUR: _ClassVar[Card]
    CARD_CLUBS_FIVE: _ClassVar[Card]
    CARD_CLUBS_SIX: _ClassVar[Card]
    CARD_CLUBS_SEVEN: _ClassVar[Card]
    CARD_CLUBS_EIGHT: _ClassVar[Card]
    CARD_CLUBS_NINE: _ClassVar[Card]
    CARD_CLUBS_TEN: _ClassVar[Card]
    CARD_CLUBS_JACK: _ClassVar[Card]
    CARD_CLUBS_QUEEN: _ClassVar[Card]
    CARD_CLUBS_KING: _ClassVar[Card]
    CARD_CLUBS_ACE: _ClassVar[Card]
    CARD_DIAMONDS_TWO: _ClassVar[Card]
    CARD_DIAMONDS_THREE: _ClassVar[Card]
    CARD_DIAMONDS_FOUR: _ClassVar[Card]
    CARD_DIAMONDS_FIVE: _ClassVar[Card]
    CARD_DIAMONDS_SIX: _ClassVar[Card]
    CARD_DIAMONDS_SEVEN: _ClassVar[Card]
    CARD_DIAMONDS_EIGHT: _ClassVar[Card]
    CARD_DIAMONDS_NINE: _ClassVar[Card]
    CARD_DIAMONDS_TEN: _ClassVar[Card]
    CARD_DIAMONDS_JACK: _ClassVar[Card]
    CARD_DIAMONDS_QUEEN: _ClassVar[Card]
    CARD_DIAMONDS_KING: _ClassVar[Card]
    CARD_DIAMONDS_ACE: _ClassVar[Card]
    CARD_HEARTS_TWO: _ClassVar[Card]
    CARD_HEARTS_THREE: _ClassVar[Card]
    CARD_HEARTS_FOUR: _ClassVar[Card]
    CARD_HEARTS_FIVE: _ClassVar[Card]
    CARD_HEARTS_SIX: _ClassVar[Card]
    CARD_HEARTS_SEVEN: _ClassVar[Card]
    CARD_HEARTS_EIGHT: _ClassVar[Card]
    CARD_HEARTS_NINE: _ClassVar[Card]
    CARD_HEARTS_TEN: _ClassVar[Card]
    CARD_HEARTS_JACK: _ClassVar[Card]
    CARD_HEARTS_QUEEN: _ClassVar[Card]
    CARD_HEARTS_KING: _ClassVar[Card]
    CARD_HEARTS_ACE: _ClassVar[Card]
    CARD_SPADES_TWO: _ClassVar[Card]
    CARD_SPADES_THREE: _ClassVar[Card]
    CARD_SPADES_FOUR: _ClassVar[Card]
    CARD_SPADES_FIVE: _ClassVar[Card]
    CARD_SPADES_SIX: _ClassVar[Card]
    CARD_SPADES_SEVEN: _ClassVar[Card]
    CARD_SPADES_EIGHT: _ClassVar[Card]
    CARD_SPADES_NINE: _ClassVar[Card]
    CARD_SPADES_TEN: _ClassVar[Card]
    CARD_SPADES_JACK: _ClassVar[Card]
    CARD_SPADES_QUEEN: _ClassVar[Card]
    CARD_SPADES_KING: _ClassVar[Card]
    CARD_SPADES_ACE: _ClassVar[Card]

class Follow(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FOLLOW_UNSPECIFIED: _ClassVar[Follow]
    FOLLOW_MUST_BEAT: _ClassVar[Follow]
    FOLLOW_FREE: _ClassVar[Follow]

class Undertrump(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UNDERTRUMP_UNSPECIFIED: _ClassVar[Undertrump]
    UNDERTRUMP_FREE: _ClassVar[Undertrump]
    UNDERTRUMP_FORCED: _ClassVar[Undertrump]

class Success(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUCCESS_UNSPECIFIED: _ClassVar[Success]
    SUCCESS_AT_LEAST: _ClassVar[Success]
    SUCCESS_EXACT_OR_ONE_OVER: _ClassVar[Success]

class FaultKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_KIND_UNSPECIFIED: _ClassVar[FaultKind]
    FAULT_KIND_TIMEOUT: _ClassVar[FaultKind]
    FAULT_KIND_ILLEGAL_CARD: _ClassVar[FaultKind]
    FAULT_KIND_ILLEGAL_CALL: _ClassVar[FaultKind]
    FAULT_KIND_MALFORMED: _ClassVar[FaultKind]
    FAULT_KIND_CRASHED: _ClassVar[FaultKind]
    FAULT_KIND_NEVER_READY: _ClassVar[FaultKind]
    FAULT_KIND_VERSION: _ClassVar[FaultKind]
    FAULT_KIND_RESOURCE: _ClassVar[FaultKind]
CARD_UNSPECIFIED: Card
CARD_CLUBS_TWO: Card
CARD_CLUBS_THREE: Card
CARD_CLUBS_FOUR: Card
CARD_CLUBS_FIVE: Card
CARD_CLUBS_SIX: Card
CARD_CLUBS_SEVEN: Card
CARD_CLUBS_EIGHT: Card
CARD_CLUBS_NINE: Card
CARD_CLUBS_TEN: Card
CARD_CLUBS_JACK: Card
CARD_CLUBS_QUEEN: Card
CARD_CLUBS_KING: Card
CARD_CLUBS_ACE: Card
CARD_DIAMONDS_TWO: Card
CARD_DIAMONDS_THREE: Card
CARD_DIAMONDS_FOUR: Card
CARD_DIAMONDS_FIVE: Card
CARD_DIAMONDS_SIX: Card
CARD_DIAMONDS_SEVEN: Card
CARD_DIAMONDS_EIGHT: Card
CARD_DIAMONDS_NINE: Card
CARD_DIAMONDS_TEN: Card
CARD_DIAMONDS_JACK: Card
CARD_DIAMONDS_QUEEN: Card
CARD_DIAMONDS_KING: Card
CARD_DIAMONDS_ACE: Card
CARD_HEARTS_TWO: Card
CARD_HEARTS_THREE: Card
CARD_HEARTS_FOUR: Card
CARD_HEARTS_FIVE: Card
CARD_HEARTS_SIX: Card
CARD_HEARTS_SEVEN: Card
CARD_HEARTS_EIGHT: Card
CARD_HEARTS_NINE: Card
CARD_HEARTS_TEN: Card
CARD_HEARTS_JACK: Card
CARD_HEARTS_QUEEN: Card
CARD_HEARTS_KING: Card
CARD_HEARTS_ACE: Card
CARD_SPADES_TWO: Card
CARD_SPADES_THREE: Card
CARD_SPADES_FOUR: Card
CARD_SPADES_FIVE: Card
CARD_SPADES_SIX: Card
CARD_SPADES_SEVEN: Card
CARD_SPADES_EIGHT: Card
CARD_SPADES_NINE: Card
CARD_SPADES_TEN: Card
CARD_SPADES_JACK: Card
CARD_SPADES_QUEEN: Card
CARD_SPADES_KING: Card
CARD_SPADES_ACE: Card
FOLLOW_UNSPECIFIED: Follow
FOLLOW_MUST_BEAT: Follow
FOLLOW_FREE: Follow
UNDERTRUMP_UNSPECIFIED: Undertrump
UNDERTRUMP_FREE: Undertrump
UNDERTRUMP_FORCED: Undertrump
SUCCESS_UNSPECIFIED: Success
SUCCESS_AT_LEAST: Success
SUCCESS_EXACT_OR_ONE_OVER: Success
FAULT_KIND_UNSPECIFIED: FaultKind
FAULT_KIND_TIMEOUT: FaultKind
FAULT_KIND_ILLEGAL_CARD: FaultKind
FAULT_KIND_ILLEGAL_CALL: FaultKind
FAULT_KIND_MALFORMED: FaultKind
FAULT_KIND_CRASHED: FaultKind
FAULT_KIND_NEVER_READY: FaultKind
FAULT_KIND_VERSION: FaultKind
FAULT_KIND_RESOURCE: FaultKind

class Ruleset(_message.Message):
    __slots__ = ("name", "call_min", "call_max", "follow", "undertrump", "success", "overtrick_tenths", "bonus_call", "bonus_points", "rounds", "redeal", "redeal_face_ranks")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CALL_MIN_FIELD_NUMBER: _ClassVar[int]
    CALL_MAX_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    UNDERTRUMP_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    OVERTRICK_TENTHS_FIELD_NUMBER: _ClassVar[int]
    BONUS_CALL_FIELD_NUMBER: _ClassVar[int]
    BONUS_POINTS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    REDEAL_FIELD_NUMBER: _ClassVar[int]
    REDEAL_FACE_RANKS_FIELD_NUMBER: _ClassVar[int]
    name: str
    call_min: int
    call_max: int
    follow: Follow
    undertrump: Undertrump
    success: Success
    overtrick_tenths: int
    bonus_call: int
    bonus_points: int
    rounds: int
    redeal: bool
    redeal_face_ranks: str
    def __init__(self, name: _Optional[str] = ..., call_min: _Optional[int] = ..., call_max: _Optional[int] = ..., follow: _Optional[_Union[Follow, str]] = ..., undertrump: _Optional[_Union[Undertrump, str]] = ..., success: _Optional[_Union[Success, str]] = ..., overtrick_tenths: _Optional[int] = ..., bonus_call: _Optional[int] = ..., bonus_points: _Optional[int] = ..., rounds: _Optional[int] = ..., redeal: _Optional[bool] = ..., redeal_face_ranks: _Optional[str] = ...) -> None: ...

class TimeControl(_message.Message):
    __slots__ = ("limit", "bank")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    BANK_FIELD_NUMBER: _ClassVar[int]
    limit: _duration_pb2.Duration
    bank: _duration_pb2.Duration
    def __init__(self, limit: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., bank: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
