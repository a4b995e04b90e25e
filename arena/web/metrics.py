"""Owns what is measured for Prometheus: requests, watchers, and how the league is doing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.context import WebContext
from arena.web.streams import Watchers

if TYPE_CHECKING:
    from starlette.routing import Route

__all__ = ["CONTENT_TYPE", "Measured", "Metrics"]

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
COUNTED_ANEW_S: Final = 5.0
BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics:
    """All that is measured, in a registry of its own."""

    def __init__(self, context: WebContext, watchers: Watchers) -> None:
        self._context = context
        self._counts: dict[str, int] = {}
        self._counted_s = float("-inf")
        self._registry = CollectorRegistry()
        self._registry.register(_Now(context, watchers, lambda: self._counts))
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self._registry)
        self.requests = Counter(
            "arena_http_requests",
            "Requests answered, by the route and the status.",
            ["route", "status"],
            registry=self._registry,
        )
        self.seconds = Histogram(
            "arena_http_request_seconds",
            "Time to answer a request; streams are not among them.",
            ["route"],
            buckets=BUCKETS,
            registry=self._registry,
        )

    async def text(self) -> bytes:
        """Everything, as Prometheus reads it. The database is asked at most every few seconds."""
        now_s = time.monotonic()
        if now_s - self._counted_s > COUNTED_ANEW_S:
            self._counted_s = now_s
            self._counts = await asyncio.to_thread(self._context.store.counts)
        return generate_latest(self._registry)


class _Now(Collector):
    """What is read at the moment of asking."""

    def __init__(self, context: WebContext, watchers: Watchers, counts: Callable[[], dict[str, int]]) -> None:
        self._context = context
        self._watchers = watchers
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """Gauges and counters."""
        context, watchers = self._context, self._watchers
        yield GaugeMetricFamily("arena_watchers", "Streams open to browsers.", watchers.now)
        yield CounterMetricFamily("arena_stream_events", "Events sent to watchers.", watchers.events)
        yield CounterMetricFamily(
            "arena_stream_resyncs",
            "Watchers that had fallen behind and were sent all anew.",
            watchers.resyncs,
        )
        yield CounterMetricFamily("arena_streams_stuck", "Watchers cut off for not reading.", watchers.stuck)
        yield GaugeMetricFamily("arena_live_matches", "Matches on view.", len(context.live.matches()))
        yield GaugeMetricFamily(
            "arena_remote_bots_connected", "Remote bots that are connected.", len(context.connected())
        )
        yield GaugeMetricFamily("arena_draining", "1 while the server drains.", context.draining.is_set())
        for name, value in self._counts().items():
            yield GaugeMetricFamily(f"arena_league_{name}", f"{name.replace('_', ' ')}.".capitalize(), value)


class Measured:
    """Counts and times requests by route, never by address, of which there is no end."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began_s = time.monotonic()
        status = 500

        async def send_measured(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_measured)
        finally:
            route: Route | None = scope.get("route")
            path = "none" if route is None else route.path
            self._metrics.requests.labels(path, str(status)).inc()
            if not path.startswith("/events"):
                self._metrics.seconds.labels(path).observe(time.monotonic() - began_s)
