"""Writes the log of what the facts did: enough to follow a recovery without reading source."""

import logging
from collections.abc import Sequence
from typing import Final

from structlog.stdlib import BoundLogger

from turnkeeper.daemon.logs import log
from turnkeeper.facts.fact import Fact, Position, Source
from turnkeeper.facts.kinds import Unrecognised
from turnkeeper.machines.scenes import Scene, reason
from turnkeeper.ports import Appended
from turnkeeper.projections.board import Folded
from turnkeeper.projections.turns import Told, TurnKind

DAY: Final = 24 * 3600 * 1_000_000


def narrate(position: Position | None, folded: Sequence[Folded], told: bytes) -> None:
    """Tell one stored batch. What happened days ago is history, and told at DEBUG alone."""
    everything = log().is_enabled_for(logging.DEBUG)
    for each in folded:
        fact = each.recorded.fact
        if everything or fact.heard_at - fact.happened_at < DAY:
            _narrate(each)


def _narrate(folded: Folded) -> None:
    fact, agent = folded.recorded.fact, folded.agent
    logger = log().bind(
        position=folded.recorded.position,
        agent=agent.id,
        session=fact.session,
        correlation=correlation(fact),
    )
    logger.debug("fact.recorded", kind=type(fact.what).__name__, source=fact.source)
    for told in folded.changes.told:
        _tell_turn(logger, told, hooked=agent.hooked_at > 0)
    for scene in folded.changes.scenes:
        _tell_meaning(logger, scene)
    for moved in folded.changes.moves:
        logger.info(
            "state.moved",
            machine=moved.machine,
            from_state=moved.from_state,
            to_state=moved.to_state,
            trigger=moved.trigger,
            by=moved.event,
            confidence=moved.confidence,
            command=moved.command_id,
        )
    for refusal in folded.changes.refusals:
        logger.warning("transition.rejected", state=agent.state, reason=refusal.reason)


def tell_unreadable(facts: Sequence[Fact], appended: Appended) -> None:
    """Warn of what could not be read as soon as it is kept: it may never concern an agent."""
    for fact, position, new in zip(facts, appended.positions, appended.new, strict=True):
        if new and isinstance(fact.what, Unrecognised):
            event = "hook.unreadable" if fact.source is Source.HOOK else "line.unreadable"
            log().warning(
                event,
                position=position,
                session=fact.session,
                correlation=correlation(fact),
                why=fact.what.why,
            )


def correlation(fact: Fact) -> str:
    """What ties the lines of one prompt together, whoever told them."""
    prompt: str = getattr(fact.what, "prompt", "")
    entry: str = getattr(fact.what, "entry", "")
    return prompt or entry or fact.session


def _tell_turn(logger: BoundLogger, told: Told, *, hooked: bool) -> None:
    turn = told.turn
    fields = {"turn": turn.position, "actor": turn.actor, "source": turn.source}
    if told.corrected:
        logger.info("turn.updated", entry=turn.entry, **fields)
    elif told.new and _is_recovery(told, hooked=hooked):
        logger.info("turn.recovered", entry=turn.entry, **fields)
    elif told.new:
        logger.debug("turn.created", **fields)


def _is_recovery(told: Told, *, hooked: bool) -> bool:
    """A hooked session's prompt or reply that the transcript told first. Its hook may still be on
    its way; then the next line says that it was confirmed."""
    turn = told.turn
    return hooked and turn.source is Source.TRANSCRIPT and turn.kind is TurnKind.TEXT


def _tell_meaning(logger: BoundLogger, scene: Scene) -> None:
    confidence, because = reason(scene)
    if because:
        rule, _, _ = because.partition(": ")  # what follows are words somebody said
        logger.debug(
            "intent.detected",
            turn=scene.act.position,
            intent=scene.intent,
            confidence=confidence,
            because=rule,
        )
