"""Find the sentences in a message: without code, tables, quotations, links and signatures.

Every pattern here is linear: a run is either bounded or cannot begin inside itself.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

# Beyond these a message is judged by how it begins and how it ends.
HEAD: Final = 6_000
TAIL: Final = 12_000
LONGEST_SENTENCE: Final = 600
LONGEST_SIGNATURE: Final = 120

INDENTED: Final = ("    ", "\t")
FENCES: Final = ("```", "~~~")
OPEN_BOX_MARK: Final = "[ ]"
OPEN_BOX: Final = re.compile(r"(?:[-*+]\s+)?(?:\[ \]|☐|⬜)")
LIST_MARK: Final = re.compile(r"^(?:[-*+•▪●❯]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s+")
CODE_LINE: Final = re.compile(r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|\$|>>>)\s\S")

QUOTED: Final = re.compile(
    r"`[^`\n]{0,300}`|\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”|„[^“”\n]{0,300}[“”]|«[^»\n]{0,300}»"
    r"|「[^」\n]{0,300}」|『[^』\n]{0,300}』|'(?<!\w')[^'\n]{2,120}'(?!\w)"
)
# A lone "?" after an address ends a sentence; one that opens a query belongs to the address.
LINK: Final = re.compile(r"(?:https?|ftp|file)://[^\s?]*(?:\?\S+)?")
# "**Was it the cache?** No." is a title with its text, not a question to anybody.
TITLE: Final = re.compile(r"(\*{1,2}|__)([^*_\n?]{1,120})\?(?:\*{1,2}|__)(?= ?\n?[^\s])")
# Words are one space apart by now, so a sentence ends where a space follows its last mark.
NEXT_SENTENCE: Final = re.compile(
    r" (?:(?<=[!?…] )|(?<=[.!?…][)\]'\"] )|(?<=[.] )(?![a-z])|(?<=[a-z]{3}[.] ))"
)
NEXT_PARAGRAPH: Final = re.compile(r"\n{2,}")
RUNS_ON: Final = re.compile(r"\n(?=[a-zäöüß])")
SIGNATURE: Final = re.compile(
    r"—|–|--(?!-)|🤖|~|_?\[(?![ x]\])|co-authored-by|generated with|sent by", re.IGNORECASE
)


class Sentence(NamedTuple):
    """One sentence, in lower case, and the paragraph it stands in."""

    text: str
    paragraph: int


def sentences(text: str) -> list[Sentence]:
    """Split a message into what it says in its own words, in order.

    What it shows or cites is left out or replaced by an `x`, so that a `?` in a code block,
    a link or a quotation cannot be taken for a question.
    """
    prose = without_citations("\n".join(own_lines(bounded(text))))
    paragraphs = [part for part in NEXT_PARAGRAPH.split(prose) if part.strip()]
    return [
        Sentence(said[-LONGEST_SENTENCE:], number)
        for number, paragraph in enumerate(unsigned(paragraphs))
        for said in split(paragraph)
    ]


def bounded(text: str) -> str:
    """Keep the beginning and the end of a very long message, and whether they are in code."""
    if len(text) <= HEAD + TAIL:
        return text
    head, rest = text[:HEAD], text[HEAD:-TAIL]
    in_head = head.count("\n```") % 2
    in_tail = (in_head + rest.count("\n```")) % 2
    return "\n".join((head, "```" * in_head, "", "```" * in_tail, text[-TAIL:]))


def own_lines(text: str) -> Iterator[str]:
    """Leave out fenced code, and from each other line what it does not say itself."""
    fence = ""
    for raw in text.splitlines():
        line = raw.strip()
        mark = line[:3]
        if fence:
            fence = "" if mark == fence else fence
        elif mark in FENCES:
            fence = mark
            yield ""
        elif not raw.startswith(INDENTED) or LIST_MARK.match(line):
            yield own_words(line)


def own_words(line: str) -> str:
    """What one line says itself: nothing if it is a table row, a quotation or code."""
    if not line or line[0] in "|>" or CODE_LINE.match(line):
        return ""
    if line[0] == "#":
        return f"\n{line.lstrip('# ').replace('?', '')}\n"
    if OPEN_BOX.match(line):
        return OPEN_BOX_MARK
    mark = LIST_MARK.match(line)
    return " ".join(line[mark.end() if mark else 0 :].split())


def without_citations(prose: str) -> str:
    linkless = LINK.sub("x", prose) if "://" in prose else prose
    unquoted = QUOTED.sub("x", linkless)
    untitled = TITLE.sub(r"\2.", unquoted) if "?*" in unquoted or "?_" in unquoted else unquoted
    plain = untitled.replace("*", "").replace("__", "")
    if plain.isascii():
        return plain
    straight = plain.replace("’", "'").replace("‘", "'")
    return straight.replace("。", "。\n").replace("！", "！\n").replace("？", "？\n")


def unsigned(paragraphs: list[str]) -> list[str]:
    """Drop a closing line that only says who wrote the message."""
    if len(paragraphs) < 2 or len(paragraphs[-1]) > LONGEST_SIGNATURE:
        return paragraphs
    return paragraphs[:-1] if SIGNATURE.match(paragraphs[-1]) else paragraphs


def split(paragraph: str) -> Iterable[str]:
    """Cut a paragraph into sentences. A line that goes on in lower case continues a sentence."""
    joined = RUNS_ON.sub(" ", paragraph.strip())
    parts = (part for line in joined.split("\n") for part in NEXT_SENTENCE.split(line))
    return (part.strip().lower() for part in parts if part.strip())
