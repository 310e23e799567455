"""What every search index promises, asked of every engine."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import product
from pathlib import Path
from string import ascii_lowercase

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.stories import P1, P2, SECOND, fact, line, spoke, was_prompted
from turnkeeper.daemon.projector import Projector
from turnkeeper.daemon.rebuild import rebuild
from turnkeeper.daemon.settings import Settings
from turnkeeper.desk.search import Found, Hit, search, since_of
from turnkeeper.errors import AgentUnknown, SearchUnclear
from turnkeeper.facts.fact import START, Fact, Moment
from turnkeeper.facts.kinds import SessionStarted, ToolFinished, ToolStarted, What
from turnkeeper.facts.words import Actor
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.journal.memory import MemoryJournal
from turnkeeper.journal.search_index import IN_AN_HOUR, Asked, Spoken, first_place
from turnkeeper.journal.sqlite_search import SqliteSearch
from turnkeeper.projections.board import Board
from turnkeeper.projections.wording import (
    EXCERPT,
    LONGEST_QUERY,
    MOST_TERMS,
    TOOL_WORDS,
    excerpt,
    folded,
    one_line,
    spans_of,
    terms_of,
)
from turnkeeper.sources.clock import SystemClock

ENGINES = ("sqlite",)
TODAY = 1_794_790_000
NOW = Moment(TODAY * SECOND)
HOUR = 3600
ADA = "ada00000-0000-4000-8000-000000000001"
BOB = "b0b00000-0000-4000-8000-000000000002"


class Shelf:
    """A journal, the board made of it, and a way to search both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal = MemoryJournal()
        self.store = BoardStore(folder / "board.db")
        self.board = Board()

    async def tell(self, *facts: Fact) -> None:
        """What is told together is one batch."""
        position = await self.journal.last()
        await self.journal.append(facts)
        heard = await self.journal.after(position, len(facts))
        told = [each for recorded in heard if (each := self.board.take(recorded)) is not None]
        self.store.save(told, self.board.directory, heard[-1].position)

    async def say(self, *texts: str) -> None:
        await self.tell(*(asked(text, nth) for nth, text in enumerate(texts)))

    async def found(
        self,
        words: str,
        *,
        agent: str | None = None,
        project: str | None = None,
        since: Moment | None = None,
        actor: Actor | None = None,
        limit: int = 50,
        patience: int = 20_000,
    ) -> Found:
        return await search(
            self.store,
            self.journal,
            words,
            agent=agent,
            project=project,
            since=since,
            actor=actor,
            limit=limit,
            patience=patience,
        )

    async def hits(self, words: str) -> list[Hit]:
        return (await self.found(words)).hits

    async def one(self, words: str) -> Hit:
        (hit,) = await self.hits(words)
        return hit


@pytest.fixture(params=ENGINES)
async def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shelf]:
    shelf = Shelf(tmp_path)
    yield shelf
    shelf.store.close()
    await shelf.journal.close()


def asked(text: str, at: float, session: str = ADA) -> Fact:
    """A prompt so many seconds into today."""
    return line(was_prompted(text, f"p-{at}", entry=f"u-{at}"), TODAY + at, session=session)


def answered(text: str, at: float, session: str = ADA) -> Fact:
    return line(spoke(text, entry=f"a-{at}"), TODAY + at, session=session)


def did(what: What, at: float, session: str = ADA) -> Fact:
    return line(what, TODAY + at, session=session)


def began_in(cwd: str, session: str) -> Fact:
    return fact(SessionStarted(cwd=cwd, cause=CAUSE), TODAY - 1, session=session)


CAUSE = msgspec.convert("startup", SessionStarted.__annotations__["cause"])


def given_to(tool: str, **values: str) -> ToolStarted:
    return ToolStarted(tool, "call-1", input=msgspec.Raw(msgspec.json.encode(values)), prompt=P1)


def marked(hit: Hit) -> list[str]:
    return [hit.snippet[start:end] for start, end in hit.highlights]


# What is found ------------------------------------------------------------------------------

FOUND = {
    "a word": ("Add retries to the reader.", "retries", ["retries"]),
    "a part of a word": ("Add retries to the reader.", "etri", ["etri"]),
    "upper and lower case": ("The Parser FAILED twice", "parser failed", ["Parser", "FAILED"]),
    "words in any order": ("first second third", "third first", ["first", "third"]),
    "a phrase": ("one two three", '"two three"', ["two three"]),
    "a phrase over a line's end": ("one two\n   three", '"two three"', ["two three"]),
    "a quote within a word": ('print("x") failed', 'print("x")', ['print("x")']),
    "a quote without its twin": ('it said "stop now', '"stop', ['"stop']),
    "two quotes": ('an empty "" string', '""', ['""']),
    "operators": ("salt AND pepper OR NOT", "AND OR NOT", ["AND", "OR", "NOT"]),
    "NEAR": ("use NEAR(a, b)", "NEAR(a,", ["NEAR(a,"]),
    "a star": ("glob *.py files", "*.py", ["*.py"]),
    "a caret": ("match ^begin", "^begin", ["^begin"]),
    "a colon": ("words:yes is no column", "words:yes", ["words:yes"]),
    "a hyphen": ("run it with --dry-run", "--dry-run", ["--dry-run"]),
    "a minus": ("count -1 from here", "-1", ["-1"]),
    "parentheses": ("call f() now", "f()", ["f()"]),
    "braces and brackets": ("a dict {x: [1]}", "{x: [1]}", ["{x:", "[1]}"]),
    "underscores": ("def __init__(self)", "__init__", ["__init__"]),
    "a percent sign": ("100% of a_b", "100%", ["100%"]),
    "a path": ("see src/turnkeeper/cli/main.py:12", "cli/main.py", ["cli/main.py"]),
    "a backslash": (r"C:\temp\new and \d+", r"\d+", [r"\d+"]),
    "an apostrophe": ("don't stop", "don't", ["don't"]),
    "semicolons and comments": ("DROP TABLE turn; -- bye", "turn; --", ["turn;", "--"]),
    "code": ("if x >= 10 && y != z:", "&& !=", ["&&", "!="]),
    "Japanese": ("検索の索引を作り直してください。", "索引を作", ["索引を作"]),
    "a Japanese word of two": ("検索の索引を作り直す", "索引", ["索引"]),
    "Japanese at the end": ("これは全文検索", "検索", ["検索"]),
    "half of a syllable mark": ("か\u3099んばる", "がん", ["がん"]),
    "Chinese": ("请修复登录页面的错误", "登录页面", ["登录页面"]),
    "a Chinese word of two": ("请修复登录页面的错误", "登录", ["登录"]),
    "one Chinese character": ("请修复登录页面的错误", "错", ["错"]),
    "a Chinese space": ("修复 登录", "修复\u3000登录", ["修复", "登录"]),
    "German": ("Prüfe die GRÖSSE der Straße", "größe straße", ["Straße"]),
    "German umlauts": ("Prüfe die ÄNDERUNG", "änderung prüfe", ["Prüfe", "ÄNDERUNG"]),
    "Spanish": ("¿Cuántas líneas añadió el niño?", "LÍNEAS añadió", ["líneas", "añadió"]),
    "decomposed accents": ("un cafe\u0301 solo", "café", ["café"]),
    "Greek with its last sigma": ("ο ΟΔΟΣ μου", "οδος", ["ΟΔΟΣ"]),
    "Turkish capitals": ("İstanbul is large", "istanbul", ["İstanbul"]),
    "an emoji": ("shipped 🎈 today", "🎈", ["🎈"]),
    "an emoji of several parts": ("the 👩‍💻 codes", "👩‍💻", ["👩‍💻"]),
    "a word of two letters": ("it is ok now", "ok", ["ok"]),
    "a letter at the end": ("variable x", "x", ["x"]),
    "a text of one letter": ("y", "y", ["y"]),
    "long and short words": ("go to the reader", "reader to", ["to", "reader"]),
    "what follows a NUL": ("before\0after", "after", ["after"]),
}
FOUND["German"] = ("Prüfe die Größe der STRAẞE", "GRÖßE straße", ["Größe", "STRAẞE"])

NOT_FOUND = {
    "another word": ("Add retries", "removes"),
    "one of two words": ("Add retries", "add removes"),
    "words that are not together": ("one two three", '"one three"'),
    "trigrams that are not together": ("abcde bcd cdx", "abcdx"),
    "an operator": ("one two", "one OR three"),
    "an exclusion": ("one two", "one -three"),
    "a wildcard": ("retries", "retr*"),
    "LIKE's wildcards": ("retries", "r_t%"),
    "a short word": ("retries", "zq"),
    "one letter": ("retries", "q"),
    "what is beyond the end": ("end", "end "[:3] + "  s"),
}


@pytest.mark.parametrize(("text", "words", "shown"), FOUND.values(), ids=FOUND)
async def test_it_finds(shelf: Shelf, text: str, words: str, shown: list[str]) -> None:
    await shelf.say("nothing of this", text, "другое")

    assert marked(await shelf.one(words)) == shown


@pytest.mark.parametrize(("text", "words"), NOT_FOUND.values(), ids=NOT_FOUND)
async def test_it_does_not_find(shelf: Shelf, text: str, words: str) -> None:
    await shelf.say(text)

    assert await shelf.found(words) == Found([], truncated=False)


async def test_a_hit_says_whose_turn_it_is_and_where(shelf: Shelf) -> None:
    await shelf.tell(began_in("/home/ada/reader", ADA), asked("Add retries.", 5))

    hit = await shelf.one("retries")

    assert (hit.agent_id, hit.session_id, hit.project) == (1, ADA, "/home/ada/reader")
    assert (hit.name, hit.actor, hit.kind) == ("reader", "user", "text")
    assert (hit.position, hit.tool) == (2, None)
    assert since_of(hit.happened_at, NOW) == (TODAY + 5) * SECOND


async def test_tools_are_found_by_what_they_were_given_and_gave(shelf: Shelf) -> None:
    await shelf.tell(
        did(given_to("Bash", command='grep "näh" \\\n src', why="look"), 1),
        did(ToolFinished("call-1", "Bash", text="src/sewing.py: nähen"), 2),
    )

    result, call = await shelf.hits("näh")

    assert (call.tool, call.snippet) == ("Bash", 'grep "näh" \\ src look')
    assert (result.actor, result.kind, marked(result)) == ("user", "tool", ["näh"])


async def test_of_a_tool_only_the_beginning_is_found(shelf: Shelf) -> None:
    text = "x" * (TOOL_WORDS - 6) + " inside outside"
    await shelf.tell(did(ToolFinished("call-1", "Bash", text=text), 1), answered(text, 2))

    assert len(await shelf.hits("insid")) == 2
    assert [hit.actor for hit in await shelf.hits("outside")] == ["agent"]


async def test_a_long_text_is_found_by_its_last_word(shelf: Shelf) -> None:
    await shelf.say("lorem ipsum " * 20_000 + "finis")

    assert (await shelf.one("finis")).snippet.endswith("ipsum finis")


# The order, and how much --------------------------------------------------------------------


async def test_the_newest_come_first_in_whatever_order_they_were_heard(shelf: Shelf) -> None:
    hours = [3, 1, 4, 1.5, 9, 2.6, 5.3, -70, 5.2, 5.1, 3.01]
    for hour in hours:
        await shelf.tell(asked(f"retry number {hour}", hour * HOUR))

    said = [hit.snippet for hit in await shelf.hits("retry")]

    assert said == [f"retry number {hour}" for hour in sorted(hours, reverse=True)]


async def test_a_limit_keeps_the_newest(shelf: Shelf) -> None:
    await shelf.tell(*(asked(f"retry {nth}", -nth * 600) for nth in range(300)))

    found = await shelf.found("retry", limit=7)

    assert [hit.snippet for hit in found.hits] == [f"retry {nth}" for nth in range(7)]
    assert not found.truncated


async def test_many_are_found_page_by_page(shelf: Shelf) -> None:
    await shelf.tell(*(asked(f"retry {nth}", nth * 60) for nth in range(900)))

    found = await shelf.found("retry", limit=1000)

    assert [hit.snippet for hit in found.hits] == [f"retry {nth}" for nth in range(899, -1, -1)]


async def test_turns_without_a_time_are_found_last(shelf: Shelf) -> None:
    timeless = [msgspec.structs.replace(asked(f"retry {nth}", nth), happened_at=Moment(0))
                for nth in range(3)]  # fmt: skip
    await shelf.tell(asked("retry now", 1), *timeless)

    assert [hit.snippet for hit in await shelf.hits("retry")][0] == "retry now"
    assert len(await shelf.hits("retry")) == 4


async def test_a_search_that_would_take_too_long_says_so(shelf: Shelf) -> None:
    pairs = ["".join(pair) for pair in product(ascii_lowercase[6:], repeat=2)]
    scattered = [" ".join(first + pair for pair in pairs + [p + "z" for p in pairs]) for first in "ab"]
    await shelf.say("a b", *scattered, *("cdef" for _ in range(300)))
    await shelf.say(*(f"{one}{two} " for one in "ab" for two in "0123456789"))

    hasty = await shelf.found("a b", patience=100)

    assert hasty == Found([], truncated=True) or hasty.hits
