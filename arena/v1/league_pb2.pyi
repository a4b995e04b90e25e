import datetime

from arena.v1 import record_pb2 as _record_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SubmissionState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUBMISSION_STATE_UNSPECIFIED: _ClassVar[SubmissionState]
    SUBMISSION_STATE_RECEIVED: _ClassVar[SubmissionState]
    SUBMISSION_STATE_UNPACKED: _ClassVar[SubmissionState]
    SUBMISSION_STATE_BUILT: _ClassVar[SubmissionState]
    SUBMISSION_STATE_CHECKED: _ClassVar[SubmissionState]
    SUBMISSION_STATE_QUALIFIED: _ClassVar[SubmissionState]
    SUBMISSION_STATE_ADMITTED: _ClassVar[SubmissionState]
    SUBMISSION_STATE_REFUSED: _ClassVar[SubmissionState]
SUBMISSION_STATE_UNSPECIFIED: SubmissionState
SUBMISSION_STATE_RECEIVED: SubmissionState
SUBMISSION_STATE_UNPACKED: SubmissionState
SUBMISSION_STATE_BUILT: SubmissionState
SUBMISSION_STATE_CHECKED: SubmissionState
SUBMISSION_STATE_QUALIFIED: SubmissionState
SUBMISSION_STATE_ADMITTED: SubmissionState
SUBMISSION_STATE_REFUSED: SubmissionState

class SubmitBotRequest(_message.Message):
    __slots__ = ("header", "chunk")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    header: BundleHeader
    chunk: bytes
    def __init__(self, header: _Optional[_Union[BundleHeader, _Mapping]] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class BundleHeader(_message.Message):
    __slots__ = ("sha256", "size_bytes")
    SHA256_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    sha256: bytes
    size_bytes: int
    def __init__(self, sha256: _Optional[bytes] = ..., size_bytes: _Optional[int] = ...) -> None: ...

class SubmitBotResponse(_message.Message):
    __slots__ = ("submission_id", "state", "detail", "bot", "version")
    SUBMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    submission_id: str
    state: SubmissionState
    detail: str
    bot: str
    version: int
    def __init__(self, submission_id: _Optional[str] = ..., state: _Optional[_Union[SubmissionState, str]] = ..., detail: _Optional[str] = ..., bot: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...

class ListBotsRequest(_message.Message):
    __slots__ = ("with_retired",)
    WITH_RETIRED_FIELD_NUMBER: _ClassVar[int]
    with_retired: bool
    def __init__(self, with_retired: _Optional[bool] = ...) -> None: ...

class ListBotsResponse(_message.Message):
    __slots__ = ("bots",)
    BOTS_FIELD_NUMBER: _ClassVar[int]
    bots: _containers.RepeatedCompositeFieldContainer[LeagueBot]
    def __init__(self, bots: _Optional[_Iterable[_Union[LeagueBot, _Mapping]]] = ...) -> None: ...

class LeagueBot(_message.Message):
    __slots__ = ("name", "author", "is_remote", "is_connected", "is_retired", "version", "version_label", "language")
    NAME_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    IS_REMOTE_FIELD_NUMBER: _ClassVar[int]
    IS_CONNECTED_FIELD_NUMBER: _ClassVar[int]
    IS_RETIRED_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    VERSION_LABEL_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    name: str
    author: str
    is_remote: bool
    is_connected: bool
    is_retired: bool
    version: int
    version_label: str
    language: str
    def __init__(self, name: _Optional[str] = ..., author: _Optional[str] = ..., is_remote: _Optional[bool] = ..., is_connected: _Optional[bool] = ..., is_retired: _Optional[bool] = ..., version: _Optional[int] = ..., version_label: _Optional[str] = ..., language: _Optional[str] = ...) -> None: ...

class GetBotRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetBotResponse(_message.Message):
    __slots__ = ("bot", "versions", "submissions", "log", "latency_us")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    SUBMISSIONS_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    LATENCY_US_FIELD_NUMBER: _ClassVar[int]
    bot: LeagueBot
    versions: _containers.RepeatedCompositeFieldContainer[BotVersion]
    submissions: _containers.RepeatedCompositeFieldContainer[Submission]
    log: str
    latency_us: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, bot: _Optional[_Union[LeagueBot, _Mapping]] = ..., versions: _Optional[_Iterable[_Union[BotVersion, _Mapping]]] = ..., submissions: _Optional[_Iterable[_Union[Submission, _Mapping]]] = ..., log: _Optional[str] = ..., latency_us: _Optional[_Iterable[int]] = ...) -> None: ...

class BotVersion(_message.Message):
    __slots__ = ("number", "label", "content_hash", "admitted", "matches")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    ADMITTED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    number: int
    label: str
    content_hash: str
    admitted: _timestamp_pb2.Timestamp
    matches: int
    def __init__(self, number: _Optional[int] = ..., label: _Optional[str] = ..., content_hash: _Optional[str] = ..., admitted: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., matches: _Optional[int] = ...) -> None: ...

class Submission(_message.Message):
    __slots__ = ("submission_id", "state", "detail", "received")
    SUBMISSION_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    submission_id: str
    state: SubmissionState
    detail: str
    received: _timestamp_pb2.Timestamp
    def __init__(self, submission_id: _Optional[str] = ..., state: _Optional[_Union[SubmissionState, str]] = ..., detail: _Optional[str] = ..., received: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetStandingsRequest(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: str
    def __init__(self, season: _Optional[str] = ...) -> None: ...

class GetStandingsResponse(_message.Message):
    __slots__ = ("standings",)
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    standings: LeagueStandings
    def __init__(self, standings: _Optional[_Union[LeagueStandings, _Mapping]] = ...) -> None: ...

class WatchStandingsRequest(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: str
    def __init__(self, season: _Optional[str] = ...) -> None: ...

class WatchStandingsResponse(_message.Message):
    __slots__ = ("standings",)
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    standings: LeagueStandings
    def __init__(self, standings: _Optional[_Union[LeagueStandings, _Mapping]] = ...) -> None: ...

class LeagueStandings(_message.Message):
    __slots__ = ("season", "is_final", "matches", "rows", "revision")
    SEASON_FIELD_NUMBER: _ClassVar[int]
    IS_FINAL_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    season: str
    is_final: bool
    matches: int
    rows: _containers.RepeatedCompositeFieldContainer[LeagueStanding]
    revision: int
    def __init__(self, season: _Optional[str] = ..., is_final: _Optional[bool] = ..., matches: _Optional[int] = ..., rows: _Optional[_Iterable[_Union[LeagueStanding, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class LeagueStanding(_message.Message):
    __slots__ = ("rank", "bot", "author", "version", "mu_milli", "sigma_milli", "matches", "wins_twelfths", "points_hundredths", "place_milli", "faults", "is_active")
    RANK_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MU_MILLI_FIELD_NUMBER: _ClassVar[int]
    SIGMA_MILLI_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    WINS_TWELFTHS_FIELD_NUMBER: _ClassVar[int]
    POINTS_HUNDREDTHS_FIELD_NUMBER: _ClassVar[int]
    PLACE_MILLI_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    IS_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    rank: int
    bot: str
    author: str
    version: int
    mu_milli: int
    sigma_milli: int
    matches: int
    wins_twelfths: int
    points_hundredths: int
    place_milli: int
    faults: int
    is_active: bool
    def __init__(self, rank: _Optional[int] = ..., bot: _Optional[str] = ..., author: _Optional[str] = ..., version: _Optional[int] = ..., mu_milli: _Optional[int] = ..., sigma_milli: _Optional[int] = ..., matches: _Optional[int] = ..., wins_twelfths: _Optional[int] = ..., points_hundredths: _Optional[int] = ..., place_milli: _Optional[int] = ..., faults: _Optional[int] = ..., is_active: _Optional[bool] = ...) -> None: ...

class ListMatchesRequest(_message.Message):
    __slots__ = ("season", "bot", "page_size", "page_token")
    SEASON_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    season: str
    bot: str
    page_size: int
    page_token: str
    def __init__(self, season: _Optional[str] = ..., bot: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMatchesResponse(_message.Message):
    __slots__ = ("matches", "next_page_token")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[MatchSummary]
    next_page_token: str
    def __init__(self, matches: _Optional[_Iterable[_Union[MatchSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class MatchSummary(_message.Message):
    __slots__ = ("match_id", "stored", "bots", "total_tenths", "places", "is_rated", "is_public")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    STORED_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TENTHS_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    IS_RATED_FIELD_NUMBER: _ClassVar[int]
    IS_PUBLIC_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    stored: _timestamp_pb2.Timestamp
    bots: _containers.RepeatedScalarFieldContainer[str]
    total_tenths: _containers.RepeatedScalarFieldContainer[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    is_rated: bool
    is_public: bool
    def __init__(self, match_id: _Optional[str] = ..., stored: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., bots: _Optional[_Iterable[str]] = ..., total_tenths: _Optional[_Iterable[int]] = ..., places: _Optional[_Iterable[int]] = ..., is_rated: _Optional[bool] = ..., is_public: _Optional[bool] = ...) -> None: ...

class GetMatchRequest(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class GetMatchResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: _record_pb2.MatchRecord
    def __init__(self, record: _Optional[_Union[_record_pb2.MatchRecord, _Mapping]] = ...) -> None: ...

class RetireBotRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class RetireBotResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RequestScrimmageRequest(_message.Message):
    __slots__ = ("bot", "opponents")
    BOT_FIELD_NUMBER: _ClassVar[int]
    OPPONENTS_FIELD_NUMBER: _ClassVar[int]
    bot: str
    opponents: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, bot: _Optional[str] = ..., opponents: _Optional[_Iterable[str]] = ...) -> None: ...

class RequestScrimmageResponse(_message.Message):
    __slots__ = ("match_ids",)
    MATCH_IDS_FIELD_NUMBER: _ClassVar[int]
    match_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, match_ids: _Optional[_Iterable[str]] = ...) -> None: ...
