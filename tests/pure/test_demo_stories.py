"""What the demo's agents say: it is understood as it is meant, and varies only in time."""

from pathlib import Path
from random import Random

import pytest

from turnkeeper.machines.intent import Actor, Intent, detect
from turnkeeper.scripted.demo.cast import CAST, characters
from turnkeeper.scripted.demo.departed import DEPARTED
from turnkeeper.scripted.demo.telling import Chapter, md
from turnkeeper.scripted.demo.troupe import DONE, LEFT
from turnkeeper.scripted.demo.variety import Manner
from turnkeeper.scripted.steps import AnyStep, Finish, Permission, Prompt, Tool

CHAPTERS = [
    pytest.param(chapter, id=chapter.title)
    for character in (*CAST, *DEPARTED)
    for chapter in character.chapters
]


def steps_of(chapter: Chapter) -> list[AnyStep]:
    return [*chapter.steps, *chapter.rest]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_last_words_mean_what_they_seem_to(chapter: Chapter) -> None:
    for step in steps_of(chapter):
        if isinstance(step, Finish):
            asks = detect(Actor.AGENT, step.text, "processing", True).intent is Intent.QUESTION
            assert asks is step.text.endswith("?"), step.text


@pytest.mark.parametrize("words", [DONE, LEFT])
def test_an_answer_that_the_story_does_not_know_completes_the_turn(words: str) -> None:
    assert detect(Actor.AGENT, words, "processing", True).intent is Intent.COMPLETION


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_begins_with_a_person_and_ends_with_the_agent(chapter: Chapter) -> None:
    spoken = [step for step in steps_of(chapter) if isinstance(step, Prompt | Finish)]

    assert isinstance(spoken[0], Prompt)
    assert isinstance(spoken[-1], Finish)


def test_a_large_cast_joins_the_projects_on_branches_of_its_own() -> None:
    many = characters(3 * len(CAST))

    assert many[: len(CAST)] == list(CAST)
    assert len({(each.project, each.branch) for each in many}) == len(many)


def test_the_same_chance_plays_the_same_way() -> None:
    steps = steps_of(CAST[0].chapters[0])

    def played(seed: int) -> list[AnyStep]:
        return list(map(Manner(Random(seed), Path("/home/ada")).staged, steps))

    assert played(1) == played(1)
    assert played(1) != played(2)


def test_files_are_named_by_their_whole_path() -> None:
    call = Tool("Read", {"file_path": "src/tax.py"})
    manner = Manner(Random(1), Path("/home/ada/shop"))

    staged = manner.staged(Permission((call,)))

    assert isinstance(staged, Permission)
    assert staged.calls[0].input["file_path"] == "/home/ada/shop/src/tax.py"


def test_a_paragraph_is_one_line_and_code_stays_as_it_is() -> None:
    told = md(
        """
        One sentence
        in two lines.

        - an item
          that goes on
        1. **another**

        ```
        code
          stays
        ```
        | a | b |
        |---|---|
        """
    )

    assert told.splitlines() == [
        "One sentence in two lines.",
        "",
        "- an item that goes on",
        "1. **another**",
        "",
        "```",
        "code",
        "  stays",
        "```",
        "| a | b |",
        "|---|---|",
    ]
