"""What every search index promises, asked of every engine."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, insert

from tests.pure.stories import P1, P2, SECOND, fact, line, spoke, was_prompted
from turnkeeper.daemon.projector import Projector
from turnkeeper.daemon.rebuild import rebuild
from turnkeeper.daemon.settings import Settings
from turnkeeper.desk.search import Found, Hit, search, since_of
from turnkeeper.errors import AgentUnknown, MomentUnclear, SearchUnclear
from turnkeeper.facts.fact import START, Fact, Moment, Position
from turnkeeper.facts.kinds import Cause, SessionStarted, ToolFinished, ToolStarted, What
from turnkeeper.facts.words import Actor
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.journal.board_tables import metadata, turn
from turnkeeper.journal.memory import MemoryJournal
from turnkeeper.journal.search_index import IN_A_SPELL, Asked, Spoken, first_place
from turnkeeper.journal.sqlite_search import SqliteSearch
from turnkeeper.projections.board import Board
from turnkeeper.projections.wording import (
    EXCERPT,
    LONGEST_QUERY,
    MOST_TERMS,
    TOOL_WORDS,
    excerpt,
    folded,
    holds,
    one_line,
    terms_of,
)
from turnkeeper.sources.clock import SystemClock

STORES = {"sqlite": lambda folder: BoardStore(folder / "board.db")}
TODAY = 1_794_790_000
NOW = Moment(TODAY * SECOND)
HOUR = 3600
ADA = "ada00000-0000-4000-8000-000000000001"
BOB = "b0b00000-0000-4000-8000-000000000002"
ROW = {column.name: 0 for column in turn.columns if not column.nullable}


class Shelf:
    """A journal, the board made of it, and a way to search both."""

    def __init__(self, folder: Path, store: BoardStore) -> None:
        self.folder = folder
        self.journal = MemoryJournal()
        self.store = store
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


@pytest.fixture(params=STORES)
async def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shelf]:
    shelf = Shelf(tmp_path, STORES[request.param](tmp_path))
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
    return fact(SessionStarted(Cause.STARTUP, cwd), TODAY - 1, session=session)


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
    "German": ("Prüfe die Größe der STRAẞE", "GRÖßE straße", ["Größe", "STRAẞE"]),
    "German umlauts": ("Prüfe die ÄNDERUNG", "änderung prüfe", ["Prüfe", "ÄNDERUNG"]),
    "Spanish": ("¿Cuántas líneas añadió el niño?", "LÍNEAS añadió", ["líneas", "añadió"]),
    "decomposed accents": ("un cafe\u0301 solo", "café", ["café"]),
    "Greek with its last sigma": ("ο ΟΔΟΣ μου", "οδος", ["ΟΔΟΣ"]),
    "Turkish capitals": ("İstanbul is large", "istanbul", ["İstanbul"]),
    "an emoji": ("shipped 🎈 today", "🎈", ["🎈"]),
    "an emoji of several parts": ("the 👩‍💻 codes", "👩‍💻", ["👩‍💻"]),
    "a word of two letters": ("it is ok now", "ok", ["ok"]),
    "two letters before others": ("全部okです", "ok", ["ok"]),
    "two letters at the end": ("all is OK", "ok", ["OK"]),
    "a sign and a letter": ("mark §a here", "§a", ["§a"]),
    "a letter at the end": ("variable x", "x", ["x"]),
    "a text of one letter": ("y", "y", ["y"]),
    "long and short words": ("go to the reader", "reader to", ["to", "reader"]),
    "what follows a NUL": ("before\0after", "after", ["after"]),
}

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
    "what is beyond the end": ("end", '"end  "x'),
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
    said = [asked(f"retry {nth}", nth) for nth in range(3)]
    timeless = (msgspec.structs.replace(each, happened_at=Moment(0)) for each in said)
    await shelf.tell(asked("retry now", 1), *timeless)

    first, *others = await shelf.hits("retry")
    assert first.snippet == "retry now"
    assert len(others) == 3


async def test_a_search_that_would_take_too_long_says_so(shelf: Shelf) -> None:
    """A single plain letter can only be found by reading."""
    rest = (asked("cdef", nth * 300) for nth in range(1, 400))
    await shelf.tell(asked("a b", 0), *rest)

    hasty = await shelf.found("a b", patience=100)
    patient = await shelf.found("a b")

    assert hasty == Found([], truncated=True)
    assert [hit.snippet for hit in patient.hits] == ["a b"]
    assert not patient.truncated


async def test_a_sign_that_goes_on_in_very_many_ways_is_found_by_reading(shelf: Shelf) -> None:
    await shelf.say("人の 話", " ".join(f"の{chr(0x4E00 + nth)}" for nth in range(600)), "話")

    assert len(await shelf.hits("の")) == 2
    assert (await shelf.one("の 話")).snippet == "人の 話"


async def test_a_spell_that_is_full_goes_on_in_the_next(shelf: Shelf) -> None:
    await shelf.say("retry one")
    last = first_place(NOW) + IN_A_SPELL - 1
    with shelf.store._writing() as connection:
        connection.exec_driver_sql("INSERT INTO spoken VALUES (?, 0)", (last,))

    await shelf.tell(asked("retry two", 1), asked("retry three", 6 * HOUR))

    said = [hit.snippet for hit in await shelf.hits("retry")]
    assert said == ["retry three", "retry two", "retry one"]


# Whose, where, since when -------------------------------------------------------------------


@pytest.fixture
async def two(shelf: Shelf) -> Shelf:
    """Two agents in two folders, each with a user; the first a day before the second."""
    await shelf.tell(
        began_in("/home/ada/reader", ADA),
        asked("retry reading", -24 * HOUR),
        answered("I shall retry reading", -24 * HOUR + 1),
    )
    await shelf.tell(
        began_in("/home/ada/writer/deep", BOB),
        asked("retry writing", 0, BOB),
        did(ToolFinished("call-1", "Bash", text="retry: not found"), 1, BOB),
        answered("I shall retry writing", 2, BOB),
    )
    return shelf


def said(found: Found) -> list[str]:
    return [hit.snippet for hit in found.hits]


READING = ["I shall retry reading", "retry reading"]
WRITING = ["I shall retry writing", "retry: not found", "retry writing"]


@pytest.mark.parametrize("agent", ["1", ADA, ADA[:6]])
async def test_one_agent(two: Shelf, agent: str) -> None:
    assert said(await two.found("retry", agent=agent)) == READING


async def test_an_agent_nobody_knows(two: Shelf) -> None:
    with pytest.raises(AgentUnknown):
        await two.found("retry", agent="99")


@pytest.mark.parametrize(
    "project", ["/home/ada/writer", "/home/ada/writer/deep/", "deep", "writer/deep"]
)
async def test_one_project(two: Shelf, project: str) -> None:
    assert said(await two.found("retry", project=project)) == WRITING


@pytest.mark.parametrize(
    "project", ["/home/ada/write", "ada", "/home/bob", "%", "/home/ada/reade_"]
)
async def test_a_project_nobody_works_in(two: Shelf, project: str) -> None:
    assert await two.found("retry", project=project) == Found([], truncated=False)


async def test_all_below_a_folder(two: Shelf) -> None:
    assert said(await two.found("retry", project="/home/ada")) == WRITING + READING


async def test_an_agent_that_is_elsewhere(two: Shelf) -> None:
    assert said(await two.found("retry", project="reader", agent="2")) == []


async def test_since_then(two: Shelf) -> None:
    assert said(await two.found("retry", since=since_of("2h", NOW))) == WRITING
    assert said(await two.found("retry", since=Moment(NOW + 2 * SECOND))) == WRITING[:1]
    assert said(await two.found("retry", since=Moment(-(2**62)))) == WRITING + READING


async def test_only_what_the_user_said(two: Shelf) -> None:
    assert said(await two.found("retry", actor=Actor.USER)) == ["retry writing", "retry reading"]


async def test_only_what_the_agent_said(two: Shelf) -> None:
    assert said(await two.found("retry", actor=Actor.AGENT)) == [WRITING[0], READING[0]]


async def test_filters_hold_for_short_words_too(two: Shelf) -> None:
    found = await two.found("w", agent="2", actor=Actor.USER, since=NOW)

    assert said(found) == ["retry writing"]


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("5m", 300), ("5 min", 300), ("2h", 7200), ("1w", 604800)]
)
def test_a_time_ago(text: str, seconds: int) -> None:
    assert since_of(text, NOW) == NOW - seconds * SECOND


def test_a_time_longer_ago_than_time() -> None:
    assert since_of("999999999w", NOW) == 0


@pytest.mark.parametrize("text", ["2026-11-16T08:30Z", "2026-11-16T09:30+01:00"])
def test_a_moment(text: str) -> None:
    assert since_of(text, NOW) == 1_794_817_800 * SECOND


@pytest.mark.parametrize("text", ["", "soon", "2h ago", "-1d", "2026-13-01", "9" * 500, "٣d\0"])
def test_a_time_that_is_none(text: str) -> None:
    with pytest.raises(MomentUnclear, match="neither a date"):
        since_of(text, NOW)


# One turn is found once ---------------------------------------------------------------------


async def test_a_corrected_turn_is_found_once_and_by_its_better_words(shelf: Shelf) -> None:
    heard = fact(was_prompted("Add   retries\nnow", P1), TODAY + 3, session=ADA)
    await shelf.tell(heard)

    await shelf.tell(line(was_prompted("Add retries now", P1, entry="u1"), TODAY + 2, session=ADA))

    hit = await shelf.one('"retries now"')
    assert hit.position == 1
    assert since_of(hit.happened_at, NOW) == (TODAY + 2) * SECOND


async def test_two_equal_turns_are_found_twice(shelf: Shelf) -> None:
    for prompt in (P1, P2):
        await shelf.tell(line(was_prompted("yes, go", prompt, entry=prompt), TODAY, session=ADA))

    assert len(await shelf.hits("yes")) == 2


async def test_a_fact_folded_again_is_found_once(shelf: Shelf) -> None:
    await shelf.say("Add retries")
    (recorded,) = await shelf.journal.after(START)
    again = Board().take(recorded)
    assert again is not None

    shelf.store.save([again], shelf.board.directory, recorded.position)

    assert len(await shelf.hits("retries")) == 1


async def test_agents_that_turn_out_to_be_one_keep_their_words(two: Shelf) -> None:
    with two.store._writing() as connection:
        connection.exec_driver_sql("UPDATE turn SET agent = 1 WHERE agent = 2")

    assert said(await two.found("retry", agent="1")) == WRITING + READING


# The snippet --------------------------------------------------------------------------------

fillers = st.text(st.sampled_from("ab ß🎈検İσς\n\0"), max_size=150)
sought = st.sampled_from(["a", "b", "ab", "ß🎈", "検", "σ", "i", "b検" * 120])


@settings(max_examples=200)
@given(st.lists(st.tuples(fillers, sought), min_size=1, max_size=6))
def test_a_snippet_is_short_and_its_highlights_are_the_words(told: list[tuple[str, str]]) -> None:
    text = one_line("".join(filler + term for filler, term in told))
    terms = [term for _, term in told]
    assert holds(text, terms)

    snippet, highlights = excerpt(text, terms)

    assert len(snippet) <= EXCERPT + 2
    assert snippet.strip("…") in text
    assert highlights
    ends = [place for span in highlights for place in span]
    assert ends == sorted(set(ends))
    for start, end in highlights:
        shown = folded(snippet[start:end])
        assert any(term in shown or term.startswith(shown) for term in terms)


@given(st.text())
def test_folding_keeps_every_character_in_its_place(text: str) -> None:
    assert len(folded(text)) == len(text)


async def test_a_snippet_shows_as_many_words_as_it_can(shelf: Shelf) -> None:
    await shelf.say("alpha " + "x " * 300 + "beta gamma" + " y" * 300)

    hit = await shelf.one("gamma alpha beta")

    assert marked(hit) == ["beta", "gamma"]
    assert hit.snippet.startswith("…x ")
    assert hit.snippet.endswith("…")


async def test_a_snippet_steers_no_terminal(shelf: Shelf) -> None:
    await shelf.say("\x1b[31mred\x1b[0m\x07 alert\x9b2J")

    assert (await shelf.one("red")).snippet == "[31mred [0m alert 2J"


async def test_a_word_longer_than_the_snippet(shelf: Shelf) -> None:
    await shelf.say("see " + "abcdefghij" * 60 + " there")

    hit = await shelf.one("abcdefghij" * 60)

    assert len(hit.snippet) <= EXCERPT + 2
    assert len(marked(hit)) == 1


# Whatever is asked --------------------------------------------------------------------------

HOSTILE = [
    '"',
    '"""',
    "'; DROP TABLE turn; --",
    "\ud800",
    "a\0b",
    "AND",
    "NEAR(",
    "*",
    "^",
    ":",
    "-",
    "(((((",
    "{words} : x",
    "\u202e\ufeff",
    "%",
    "_",
    "\\",
    "🎈" * 300,
    "x" * LONGEST_QUERY,
    " ".join(map(str, range(MOST_TERMS))),
    "\U0010ffff",
    "?1 :grams",
]


@pytest.mark.parametrize("query", HOSTILE, ids=ascii)
async def test_nothing_asked_does_harm(shelf: Shelf, query: str) -> None:
    await shelf.say("a quiet text")

    assert await shelf.found(query) == Found([], truncated=False)
    assert len(await shelf.hits("quiet")) == 1


@pytest.mark.parametrize("query", HOSTILE, ids=ascii)
async def test_whatever_was_said_can_be_asked_for(shelf: Shelf, query: str) -> None:
    await shelf.say(f"before {query} after")

    assert len(await shelf.hits(query)) == 1


@pytest.mark.parametrize("query", ["", "  \n", "\0", '"  "'])
async def test_a_search_without_words_is_refused(shelf: Shelf, query: str) -> None:
    with pytest.raises(SearchUnclear, match="no words"):
        await shelf.found(query)


async def test_a_search_without_end_is_refused(shelf: Shelf) -> None:
    with pytest.raises(SearchUnclear, match="1,001 characters"):
        await shelf.found("x" * (LONGEST_QUERY + 1))
    with pytest.raises(SearchUnclear, match="33 words"):
        await shelf.found(" ".join(map(str, range(MOST_TERMS + 1))))


anything = st.text(st.characters(), min_size=1, max_size=30)


@settings(max_examples=200)
@given(anything, anything, anything)
def test_a_text_is_offered_for_every_part_of_it(before: str, part: str, after: str) -> None:
    text = one_line(before + part + after)
    assume(one_line(part.replace('"', "")))
    terms = terms_of(part)
    assume(holds(text, terms))  # composed with its neighbours, a character may be another

    assert offered(text, terms) == [7]


def offered(text: str, terms: Sequence[str]) -> list[int]:
    index, engine = SqliteSearch(), create_engine("sqlite://")
    with engine.begin() as connection:
        metadata.create_all(connection)
        index.make(connection)
        connection.execute(insert(turn), {**ROW, "position": 7})
        index.put(connection, [Spoken(NOW, Position(7), folded(text))])
        rows = index.page(connection, Asked(tuple(terms)), None, 10).rows
    engine.dispose()
    return [row["position"] for row in rows]


# Thrown away and made anew ------------------------------------------------------------------


async def test_made_anew_it_finds_the_same(two: Shelf) -> None:
    before = [await two.found(query) for query in ("retry", "w", '"shall retry"')]
    chosen = Settings(two.folder, (), "here")
    two.store.close()

    await rebuild(chosen, two.journal, lambda done, total: None)

    two.store = BoardStore(chosen.board)
    assert [await two.found(query) for query in ("retry", "w", '"shall retry"')] == before
    assert before[0].hits


async def test_a_board_of_an_older_shape_is_made_anew_at_the_start(two: Shelf) -> None:
    before = await two.found("retry")
    with two.store._writing() as connection:
        connection.exec_driver_sql("UPDATE about SET value = x'31' WHERE name = 'shape'")
        SqliteSearch().drop(connection)
    two.store.close()

    two.store = BoardStore(two.folder / "board.db")
    assert two.store.position() == START
    assert (await two.found("retry")).hits == []
    projector = Projector(two.journal, two.store, SystemClock())
    running = asyncio.create_task(projector.run())
    async with asyncio.timeout(10):
        await projector.reached(await two.journal.last())
    running.cancel()

    assert await two.found("retry") == before
