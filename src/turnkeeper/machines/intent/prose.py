"""Find the sentences in a message: without code, tables, quotes, links and signatures.

Every pattern here is linear: a run is either bounded or cannot begin inside itself.
"""

import re
from typing import Final, NamedTuple

# Beyond these a message is judged by how it begins and how it ends.
HEAD: Final = 6_000
TAIL: Final = 12_000
LONGEST_SENTENCE: Final = 600
LONGEST_SIGNATURE: Final = 120

FENCES: Final = ("```", "~~~")
STRAIGHT: Final = str.maketrans("’‘`´\u00a0\u3000", "''''  ")

CODE_LINE: Final = re.compile(r"\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|\$|>>>)\s\S")
LIST_MARK: Final = re.compile(r"^(?:[-*+•▪●]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s+")
OPEN_BOX_MARK: Final = "[ ]"
OPEN_BOX: Final = re.compile(r"(?:[-*+]\s+)?(?:\[ \]|☐|⬜)")

QUOTED: Final = re.compile(
    r"``[^\n]{1,300}?``|`[^`\n]{0,300}`"
    r"|\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”|„[^“”\n]{0,300}[“”]|«[^»\n]{0,300}»"
    r"|「[^」\n]{0,300}」|『[^』\n]{0,300}』|(?<![\w'])'[^'\n]{2,120}'(?![\w'])"
)
# A lone "?" after an address ends a sentence; one that opens a query belongs to the address.
LINK: Final = re.compile(r"(?:https?|ftp|file)://[^\s?]*(?:\?[^\s]+)?")
# "**Was it the cache?** No." is a title with its text, not a question to anybody.
TITLE: Final = re.compile(
    r"(\*{1,2}|__)([^*_\n?]{1,120})\?(\*{1,2}|__)(?=[^\S\n]?\n?[^\S\n]?[^\s])"
)
EMPHASIS: Final = re.compile(r"[*_]{2,3}|(?<!\w)[*_](?=\w)|(?<=[\w.!?])[*_](?!\w)")
NEXT_SENTENCE: Final = re.compile(
    r"(?:(?<=[!?…])|(?<=[.!?…][)\]'\"]))\s+|(?<=[.])\s+(?![a-z])|(?<=[。！？])\s*"
)
SIGNATURE: Final = re.compile(r"(?:—|–|--(?!-)|🤖|~|co-authored-by|generated with|sent by)", re.I)


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
    paragraphs = [part for part in re.split(r"\n{2,}", prose) if part.strip()]
    return [
        Sentence(said[-LONGEST_SENTENCE:], number)
        for number, paragraph in enumerate(unsigned(paragraphs))
        for said in split(paragraph)
    ]


def bounded(text: str) -> str:
    """Keep the beginning and the end of a very long message, each in whole lines."""
    if len(text) <= HEAD + TAIL:
        return text
    head, dropped, tail = text[:HEAD], text[HEAD:-TAIL], text[-TAIL:]
    reopened = (head.count("\n```") + dropped.count("\n```")) % 2
    return f"{head}\n{'```' * (head.count(chr(10) + '```') % 2)}\n\n{'```' * reopened}\n{tail}"


def own_lines(text: str) -> list[str]:
    """Drop code, tables and quoted lines; mark what a heading or a list says as a sentence."""
    kept: list[str] = []
    fenced = ""
    for raw in text.splitlines():
        line = raw.strip()
        mark = line[:3]
        if fenced:
            fenced = "" if mark == fenced else fenced
        elif mark in FENCES:
            fenced = mark
            kept.append("")
        else:
            kept.append(own_words(line))
    return kept


def own_words(line: str) -> str:
    """What one line says itself: nothing if it is a table row, a quotation or code."""
    if not line or line[0] in "|>" or CODE_LINE.match(line):
        return ""
    if line[0] == "#":
        return f"\n{line.lstrip('# ').replace('?', '')}\n"
    if OPEN_BOX.match(line):
        return OPEN_BOX_MARK
    return " ".join(LIST_MARK.sub("", line, count=1).split())


def without_citations(prose: str) -> str:
    linkless = LINK.sub("x", prose) if "://" in prose else prose
    return EMPHASIS.sub("", TITLE.sub(r"\2.", QUOTED.sub("x", linkless))).translate(STRAIGHT)


def unsigned(paragraphs: list[str]) -> list[str]:
    """Drop a closing line that only says who wrote the message."""
    if len(paragraphs) > 1 and len(paragraphs[-1]) <= LONGEST_SIGNATURE:
        if SIGNATURE.match(paragraphs[-1]):
            return paragraphs[:-1]
    return paragraphs


def split(paragraph: str) -> list[str]:
    """Cut a paragraph into sentences. A line that goes on in lower case continues a sentence."""
    lines = re.sub(r"\n(?=[a-zäöüß])", " ", paragraph.strip()).split("\n")
    parts = (part for line in lines for part in NEXT_SENTENCE.split(line))
    return [part.strip().lower() for part in parts if part.strip()]
