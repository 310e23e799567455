"""`POST /api/offers`: a hook offers an ask and waits here for the answer. A raw handler.

The response begins at once and ends with what the hook is to print: a decision, or nothing where
the ask was settled elsewhere. A daemon that stops asks its hooks to look for the next one. While it
waits it costs an open connection and nothing else.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec
from litestar import asgi
from litestar.handlers import ASGIRouteHandler

from turnkeeper.errors import TurnkeeperError
from turnkeeper.facts.fact import Fact, Moment, Position, Recorded, Source
from turnkeeper.facts.kinds import AnswerLost, AskAnswered, OfferEnded, PermissionAsked
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Clock, Journal
from turnkeeper.projections.asks import Ask
from turnkeeper.projections.board import Folded
from turnkeeper.sources.claude_asks import decision_of
from turnkeeper.sources.claude_hooks import read_hook
from turnkeeper.sources.claude_waiting_hook import AGAIN
from turnkeeper.surfaces.http.replies import STATUS, refuse, refuse_method
from turnkeeper.surfaces.http.wire import Receive, Scope, Send

PATH: Final = "/api/offers"
HEADERS: Final = [(b"content-type", b"application/json")]
PATIENCE: Final = 60.0
"""Seconds that a hook looks for a daemon it has lost (rulings C7): so long it may come back."""

LONGEST_WAIT: Final = 86_400_000_000
"""Microseconds that a client lets its hook wait: an older answer has come, or never will."""

NAME: Final = re.compile(r"[\w-]{8,64}", re.ASCII)
HINT: Final = "Only Turnkeeper's own waiting hook offers asks"


class Offer(msgspec.Struct, frozen=True):
    """What a waiting hook sends: its own name, when the client called it, and what it was told."""

    offer: str
    at: Moment
    payload: msgspec.Raw


_decoder: Final = msgspec.json.Decoder(Offer)


@dataclass(slots=True)
class Hook:
    """One that waits: whose it is, what wakes it, and what its ask came to."""

    session: str
    news: asyncio.Event = field(default_factory=asyncio.Event)
    over: Ask | None = None


class Offers:
    """The hooks that wait, by the name each gave itself."""

    def __init__(self, journal: Journal, store: BoardStore, clock: Clock, host: str) -> None:
        self._journal = journal
        self._store = store
        self._clock = clock
        self._host = host
        self._waiting: dict[str, Hook] = {}
        self._closed = False

    @property
    def sessions(self) -> set[str]:
        """Whose hooks wait: a client lives for as long as its hook does."""
        return {hook.session for hook in self._waiting.values()}

    def heed(self, folded: Sequence[Folded]) -> None:
        """Wake the hooks whose asks have come to an end."""
        for each in folded:
            for ask in each.changes.asks:
                hook = self._waiting.get(ask.offer)
                if ask.outcome is not None and hook is not None:
                    hook.over = ask
                    hook.news.set()

    async def make(self, offer: Offer) -> Recorded:
        """Commit what a hook offers. The same offer again is the same fact."""
        key, now = f"offer:{offer.offer}", self._clock.now()
        read = read_hook(bytes(offer.payload), key=key, happened_at=offer.at, heard_at=now)
        facts = [self._named(fact, offer.offer) for fact in read]
        appended = await self._journal.append(facts)
        return Recorded(appended.positions[-1], facts[-1])

    def _named(self, fact: Fact, offer: str) -> Fact:
        what = fact.what
        if isinstance(what, PermissionAsked):
            what = msgspec.structs.replace(what, offer=offer)
        return msgspec.structs.replace(fact, host=self._host, what=what)

    async def settled(self, offer: str, session: str, gone: asyncio.Event) -> bytes | None:
        """What to print, once the ask is settled; None if the hook, or we, leave before that."""
        hook = self._waiting[offer] = Hook(session)
        try:
            held = await asyncio.to_thread(self._store.ask_of_offer, offer)
            if held is None:
                return b""
            over = hook.over or held[1]
            while over.outcome is None:
                if gone.is_set() or self._closed:
                    return None
                await _either(hook.news, gone)
                over = hook.over or over
            return await self._decision(over)
        finally:
            if self._waiting.get(offer) is hook:
                del self._waiting[offer]

    async def _decision(self, ask: Ask) -> bytes:
        if ask.answer is None:
            return b""
        [asked] = await self._journal.at([ask.words_at])
        said = ask.answer
        answer = AskAnswered(ask.id, said.decision, said.message, said.answers, said.by)
        return decision_of(asked.fact.what, answer)

    async def forget(self, offer: str) -> None:
        """A hook is gone, and its client may wait on: from now on the terminal alone can answer."""
        held = await asyncio.to_thread(self._store.ask_of_offer, offer)
        if held is None or self._closed or offer in self._waiting:
            return
        number, ask = held
        if ask.outcome is None:
            await self._append(ask, f"offer:{offer}:ended", OfferEnded(offer))
        elif ask.answer is not None and await asyncio.to_thread(self._unheeded, number, ask):
            await self._append(ask, f"ask:{ask.id}:lost", AnswerLost(ask.id, offer))

    def _unheeded(self, number: int, ask: Ask) -> bool:
        agent = self._store.load(number)
        return agent is not None and any(each.id == ask.id for each in agent.asking.answered)

    async def _append(self, ask: Ask, key: str, what: OfferEnded | AnswerLost) -> None:
        now = self._clock.now()
        fact = Fact(key, ask.session, Source.HOOK, now, now, what, host=self._host)
        await self._journal.append([fact])

    async def await_the_lost(self) -> None:
        """After a start: hooks of the daemon before may come back, for as long as they look."""
        lately = Moment(self._clock.now() - LONGEST_WAIT)
        held = await asyncio.to_thread(self._store.asks, lately)
        await self._clock.sleep(PATIENCE)
        for _, ask in held:
            if ask.offer:
                await self.forget(ask.offer)

    def close(self) -> None:
        """Let every hook go, to look for the next daemon."""
        self._closed = True
        for hook in self._waiting.values():
            hook.news.set()


async def _either(*events: asyncio.Event) -> None:
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()


def offers_handler(
    offers: Offers, reached: Callable[[Position], Awaitable[None]]
) -> ASGIRouteHandler:
    @asgi(PATH, copy_scope=False)
    async def take_offer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await refuse_method(send, "POST")
            return
        offer = await _offer(receive, send)
        if offer is None:
            return
        try:
            made = await offers.make(offer)
        except TurnkeeperError as problem:
            status = STATUS.get(type(problem), 503)
            await refuse(send, status, type(problem).__name__, str(problem), problem.hint)
            return
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await reached(made.position)
        await _wait(offers, offer.offer, made.fact.session, receive, send)

    return take_offer


async def _offer(receive: Receive, send: Send) -> Offer | None:
    message = await receive()
    try:
        offer = _decoder.decode(message.get("body", b""))
    except (msgspec.DecodeError, RecursionError) as problem:
        await refuse(send, 422, "OfferUnreadable", f"This is no offer: {problem}", HINT)
        return None
    known = read_hook(bytes(offer.payload), key="", happened_at=offer.at, heard_at=offer.at)
    if isinstance(known[0].what, PermissionAsked) and NAME.fullmatch(offer.offer):
        return offer
    why = "it holds no permission request with a name"
    await refuse(send, 422, "OfferUnreadable", f"This is no offer: {why}", HINT)
    return None


async def _wait(offers: Offers, offer: str, session: str, receive: Receive, send: Send) -> None:
    gone = asyncio.Event()
    watching = asyncio.create_task(_watch(receive, gone))
    try:
        printed = await offers.settled(offer, session, gone)
    finally:
        watching.cancel()
    if printed is None or gone.is_set():
        await offers.forget(offer)
        printed = AGAIN
    await send({"type": "http.response.body", "body": printed, "more_body": False})


async def _watch(receive: Receive, gone: asyncio.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()
