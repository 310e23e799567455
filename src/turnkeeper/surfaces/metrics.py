"""Counts what happens (000 NFR3), for whoever watches the watcher."""

from collections.abc import Sequence
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from turnkeeper.desk.reconcile import Reconciled
from turnkeeper.facts.fact import Moment, Position
from turnkeeper.machines.scenes import Scene
from turnkeeper.projections.board import Folded

MICROSECONDS: Final = 1_000_000
SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)


class Metrics:
    """The counters of one daemon, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        counter, gauge = self._counter, self._gauge
        self.transitions = counter("transitions", "State transitions", "machine", "from", "to")
        self.rejections = counter("rejections", "Transitions the tables do not allow")
        self.intents = counter("intents", "Turns by what they mean", "intent")
        self.facts = counter("facts", "Facts folded into the board", "source")
        self.turns = counter("turns", "Turns", "how")
        self.reconciles = counter("reconciles", "Agents whose transcripts were read again")
        self.reconciled = counter("reconciled", "What reading again mended", "what")
        self.latency = Histogram(
            "turnkeeper_fact_to_board_seconds",
            "From hearing a fact to the board that shows it",
            buckets=SECONDS,
            registry=self._registry,
        )
        self.position = gauge("journal_position", "The newest fact in the journal")
        self.lag = gauge("journal_lag", "Facts in the journal that the board does not show yet")
        self.readers = gauge("stream_clients", "Open streams")

    def _counter(self, name: str, says: str, *labels: str) -> Counter:
        return Counter(f"turnkeeper_{name}", says, labels, registry=self._registry)

    def _gauge(self, name: str, says: str) -> Gauge:
        return Gauge(f"turnkeeper_{name}", says, registry=self._registry)

    def count(self, folded: Sequence[Folded], now: Moment) -> None:
        """Count what a stored batch did."""
        for each in folded:
            self._count(each, now)

    def _count(self, folded: Folded, now: Moment) -> None:
        fact, changes = folded.recorded.fact, folded.changes
        self.facts.labels(fact.source).inc()
        self.latency.observe(max(0, now - fact.heard_at) / MICROSECONDS)
        self.rejections.inc(len(changes.refusals))
        for told in changes.told:
            self.turns.labels("created" if told.new else "updated").inc()
        for moved in changes.moves:
            self.transitions.labels(moved.machine, moved.from_state, moved.to_state).inc()
        for scene in changes.scenes:
            self._count_intent(scene)

    def _count_intent(self, scene: Scene) -> None:
        if scene.act.because and scene.intent is not None:
            self.intents.labels(scene.intent).inc()

    def count_reconcile(self, found: Reconciled) -> None:
        self.reconciles.inc()
        for what in ("added", "corrected", "states", "missing"):
            self.reconciled.labels(what).inc(getattr(found, what))

    def text(self, *, last: Position, board: Position, readers: int) -> bytes:
        """All of it in Prometheus' words, with what is true at this moment."""
        self.position.set(last)
        self.lag.set(max(0, last - board))
        self.readers.set(readers)
        return generate_latest(self._registry)
