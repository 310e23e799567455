"""The search index in SQLite: FTS5 by trigrams, without content and without places in the text.

Measured on code and prose, an index that knows places (`detail=full`) takes 2.7 times the text,
this one 0.8. Its price: a word is asked for as all of its trigrams, wherever they stand.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, TextClause, bindparam, text

from turnkeeper.facts.fact import Moment
from turnkeeper.journal.search_index import (
    IN_A_SPELL,
    Asked,
    Page,
    Spoken,
    first_place,
    newest_first,
)
from turnkeeper.projections.wording import folded

Values = dict[str, Any]  # by name, for the database
GRAM: Final = 3
MOST_GRAMS: Final = 64
MOST_ENDINGS: Final = 500
"""A short word is asked for as the trigrams it begins. With more of them it is not asked for."""

LAST_PLAIN: Final = chr(0x7F)
PLAIN: Final = "".join(sorted({folded(chr(sign)) for sign in range(1, 0x7F)}))
"""What a word can go on with in ASCII, upper case aside."""

PADDING: Final = "  "
"""Stands after each text, so that its last characters begin trigrams too."""

SLACK: Final = 3_600_000_000
"""A better source may have moved a turn by so much after it was given its place."""

LAST_PLACE: Final = 2**63 - 1

MAKE: Final = (
    "CREATE TABLE spoken (place INTEGER PRIMARY KEY, position INTEGER NOT NULL)",
    "CREATE VIRTUAL TABLE search USING fts5("
    "words, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')",
    "CREATE VIRTUAL TABLE search_gram USING fts5vocab('search', 'row')",
    "INSERT INTO search (search, rank) VALUES ('hashsize', 8388608)",
    "INSERT INTO search (search, rank) VALUES ('automerge', 8)",
)
"""The last two make indexing a third cheaper: larger pieces are written, and merged less often."""

MADE: Final = "SELECT count(*) FROM sqlite_master WHERE name = 'search'"
DROP: Final = tuple(f"DROP TABLE IF EXISTS {name}" for name in ("search_gram", "search", "spoken"))
PLACE: Final = "INSERT INTO spoken (place, position) VALUES (?, ?)"
INDEX: Final = "INSERT INTO search (rowid, words) VALUES (?, ?)"
NEWEST: Final = "SELECT max(place) FROM spoken WHERE place >= ? AND place < ?"
ENDINGS: Final = "SELECT term FROM search_gram WHERE term >= ? AND term < ? LIMIT ?"

# CROSS JOIN keeps SQLite from beginning with the turns.
FROM_INDEX: Final = "search CROSS JOIN spoken ON spoken.place = search.rowid"
FROM_TURNS: Final = "spoken"
SHOWN: Final = (
    "spoken.place, turn.position, turn.agent, turn.session, turn.actor, turn.kind, turn.tool,"
    " turn.happened_at, turn.words_at"
)
SPEAKS: Final = "turn.actor = :actor AND NOT (turn.actor = 'user' AND turn.kind = 'tool')"
"""What a tool gave counts as the user's turn, but no user said it."""


class SqliteSearch:
    """Keeps nothing itself: the database does."""

    def make(self, connection: Connection) -> None:
        made = connection.exec_driver_sql(MADE).scalar()
        for statement in () if made else MAKE:
            connection.exec_driver_sql(statement)

    def drop(self, connection: Connection) -> None:
        for statement in DROP:
            connection.exec_driver_sql(statement)

    def put(self, connection: Connection, said: Sequence[Spoken]) -> None:
        placed = sorted(_placed(connection, said))
        if placed:
            connection.exec_driver_sql(PLACE, [(place, position) for place, position, _ in placed])
            connection.exec_driver_sql(
                INDEX, [(place, words + PADDING) for place, _, words in placed]
            )

    def page(self, connection: Connection, asked: Asked, below: int | None, size: int) -> Page:
        query, values = _query(asked, _match(connection, asked.terms))
        top = LAST_PLACE if below is None else below
        rows = _rows(connection, query, {**values, "top": top, "size": size})
        if len(rows) < size:
            return Page(newest_first(rows), None)
        last = rows[-1]["place"]
        spell = last - last % IN_A_SPELL
        bounds = {"bottom": max(spell, values["bottom"]), "top": last, "size": IN_A_SPELL}
        rows += _rows(connection, query, {**values, **bounds})
        return Page(newest_first(rows), spell)


def _placed(connection: Connection, said: Sequence[Spoken]) -> Iterator[tuple[int, int, str]]:
    spells: dict[int, list[Spoken]] = defaultdict(list)
    for each in said:
        spells[first_place(each.happened_at)].append(each)
    taken: set[int] = set()
    for spell, turns in sorted(spells.items()):
        place = _free(connection, spell, len(turns), taken)
        taken.add(place - place % IN_A_SPELL)
        for nth, each in enumerate(sorted(turns)):
            yield place + nth, each.position, each.words


def _free(connection: Connection, spell: int, count: int, taken: set[int]) -> int:
    """The first free place of the spell, or of the next that has room."""
    while True:
        newest = connection.exec_driver_sql(NEWEST, (spell, spell + IN_A_SPELL)).scalar()
        place = spell if newest is None else int(newest) + 1
        if spell not in taken and place + count <= spell + IN_A_SPELL:
            return place
        spell += IN_A_SPELL


def _query(asked: Asked, grams: str) -> tuple[TextClause, Values]:
    """The turns from `bottom` to below `top`, the highest place first, and what is known of it."""
    place, source = ("search.rowid", FROM_INDEX) if grams else ("spoken.place", FROM_TURNS)
    since = None if asked.since is None else Moment(asked.since - SLACK)
    wanted = (
        (f"{place} >= :bottom", "bottom", 0 if since is None else first_place(since)),
        ("search MATCH :grams", "grams", grams or None),
        (SPEAKS, "actor", asked.actor),
        ("turn.happened_at >= :since", "since", asked.since),
        ("turn.agent IN :agents", "agents", asked.agents),
    )
    clauses = [(clause, name, value) for clause, name, value in wanted if value is not None]
    query = text(
        f"SELECT {SHOWN} FROM {source}"
        " CROSS JOIN turn ON turn.position = spoken.position"
        f" WHERE {' AND '.join(clause for clause, _, _ in clauses)} AND {place} < :top"
        f" ORDER BY {place} DESC LIMIT :size"
    )
    if asked.agents is not None:
        query = query.bindparams(bindparam("agents", expanding=True))
    return query, {name: value for _, name, value in clauses}


def _rows(connection: Connection, query: TextClause, values: Values) -> list[RowMapping]:
    return list(connection.execute(query, values).mappings())


def _match(connection: Connection, terms: Sequence[str]) -> str:
    """The question in FTS5's words, in which everything a person wrote is quoted.

    Empty if no term can be asked for: then only reading the turns can tell.
    """
    groups = (_grams(term) if len(term) >= GRAM else _begun(connection, term) for term in terms)
    return " AND ".join(filter(None, groups))


def _grams(term: str) -> str:
    grams = dict.fromkeys(term[at : at + GRAM] for at in range(len(term) - GRAM + 1))
    return " AND ".join(map(_quoted, list(grams)[:MOST_GRAMS]))


def _begun(connection: Connection, term: str) -> str:
    """Any trigram that begins like this short word; nothing if they are too many.

    The database counts every turn of a trigram when it lists it. So the plain ones, which most
    turns hold, are guessed instead, and a single plain character is not asked for at all.
    """
    if not term.isascii():
        plain, first = [], term
    elif len(term) == GRAM - 1:
        plain, first = [term + sign for sign in PLAIN], term + LAST_PLAIN
    else:
        return ""
    bounds = (first, term + chr(0x10FFFF), MOST_ENDINGS + 1)
    grams = plain + list(connection.exec_driver_sql(ENDINGS, bounds).scalars())
    if len(grams) > MOST_ENDINGS:
        return ""
    return f"({' OR '.join(map(_quoted, grams or [term.ljust(GRAM)]))})"


def _quoted(words: str) -> str:
    return '"' + words.replace('"', '""') + '"'
