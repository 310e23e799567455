"""What a turn means: examples, accuracy over two files, and laws over any text."""

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from turnkeeper.cli.intent import intent as command
from turnkeeper.machines.intent import Actor, Intent, Verdict, detect
from turnkeeper.machines.intent.asking import ASKS
from turnkeeper.machines.intent.closing import DONE, OFFERS
from turnkeeper.machines.intent.phrases import compiled
from turnkeeper.machines.intent.prose import sentences
from turnkeeper.machines.intent.questioning import DIRECTED, OPEN, RHETORICAL
from turnkeeper.machines.intent.turning import TURNS_AWAY
from turnkeeper.machines.intent.working import ACTS, STEPS, UNDER_WAY

HERE = Path(__file__).parent
STATES = ("idle", "commanded", "processing", "awaiting_input", "complete")
MEGABYTE = 1_000_000


class Labelled(msgspec.Struct, frozen=True):
    id: str
    actor: Actor
    state: str
    text: str
    intent: Intent


def labelled(name: str) -> list[Labelled]:
    lines = (HERE / name).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Labelled) for line in lines]


def misread(name: str) -> list[str]:
    return [
        message.id
        for message in labelled(name)
        if detect(message.actor, message.text, message.state).intent is not message.intent
    ]


def said(text: str, final: bool | None = None) -> Verdict:
    return detect(Actor.AGENT, text, "processing", final)


# Accuracy


@pytest.mark.parametrize(
    ("name", "bound"), [("intents-dev.jsonl", 0.92), ("intents-own.jsonl", 0.95)]
)
def test_the_labelled_messages_are_understood(name: str, bound: float) -> None:
    wrong = misread(name)

    assert 1 - len(wrong) / len(labelled(name)) >= bound, wrong


# What the agent says


@pytest.mark.parametrize(
    "text",
    [
        "Shall I push it?",
        "Tell me which account to use.",
        "Pick one and I'll rename the package.",
        "Waiting for your decision.",
        "Soll ich die alten Logs löschen?",
        "Por favor, indícame qué rama debo usar.",
        "どちらにデプロイすればよいか教えてください。",
        "请告诉我应该使用哪个数据库。",
    ],
)
def test_a_request_is_a_question_with_or_without_its_mark(text: str) -> None:
    assert said(text).intent is Intent.QUESTION


@pytest.mark.parametrize(
    "text",
    [
        "The prompt is in:\n\n```sh\nread -p 'Overwrite? '\n```",
        'The FAQ answers "Should I run it as root?" now.',
        "The page answers at https://example.org/search?q=a&b=?",
        "The dialog says:\n\n> Do you really want to leave?\n\nBoth buttons work.",
        "## What was wrong?\nThe queue's name.\n\n## What did I change?\nBoth use the same name.",
        "The query is bound:\n\nSELECT a FROM b WHERE c = ?",
    ],
)
def test_a_question_mark_in_what_is_shown_or_cited_asks_nothing(text: str) -> None:
    assert said(text).intent is Intent.COMPLETION


def test_a_rhetorical_question_does_not_stop_the_work() -> None:
    verdict = said("Why does it fail? Because the runner has no IPv6. I'm switching to 127.0.0.1.")

    assert verdict.intent is Intent.PROGRESS


def test_an_offer_after_the_work_is_a_completion() -> None:
    verdict = said("The form validates the address. Let me know if you'd like another wording.")

    assert verdict.intent is Intent.COMPLETION


def test_waiting_for_a_machine_is_progress() -> None:
    assert said("CI is running, I'll wait for it and then merge.").intent is Intent.PROGRESS


def test_a_signature_does_not_hide_the_question() -> None:
    assert said("Which branch?\n\n-- \nbuild-bot 2.1").intent is Intent.QUESTION


def test_a_rule_that_names_its_words_is_certain_and_a_guess_is_not() -> None:
    asked, guessed = said("Should I push it?"), said("The header is blue.")

    assert (asked.confidence, asked.because) == (1.0, "asks: 'should i'")
    assert guessed.confidence < 1


# Whether the turn has ended


def test_before_the_turn_ends_everything_is_progress() -> None:
    assert said("Which branch do you want?", final=False).intent is Intent.PROGRESS


def test_after_the_turn_nothing_is_progress() -> None:
    verdict = said("I'll look at the router.", final=True)

    assert verdict.intent is Intent.COMPLETION
    assert verdict.confidence < 1


def test_a_question_may_end_the_turn() -> None:
    assert said("Which branch do you want?", final=True).intent is Intent.QUESTION


@pytest.mark.parametrize("text", [None, "", " \n\t"])
def test_silence_is_progress_until_the_turn_ends(text: str | None) -> None:
    running = detect(Actor.AGENT, text, "processing")
    ended = detect(Actor.AGENT, text, "processing", final=True)

    assert running.intent is Intent.PROGRESS
    assert ended.intent is Intent.COMPLETION
    assert ended.confidence < 0.5


# What the person says


@pytest.mark.parametrize("state", [state for state in STATES if state != "awaiting_input"])
def test_without_a_pending_question_a_person_commands(state: str) -> None:
    assert detect(Actor.USER, "yes, push it", state).intent is Intent.COMMAND


def test_a_reply_to_a_pending_question_answers_it() -> None:
    assert detect(Actor.USER, "the second one", "awaiting_input").intent is Intent.ANSWER


@pytest.mark.parametrize(
    "text",
    ["Never mind. Write the release notes instead.", "/clear", "算了，先修登录问题"],
)
def test_turning_to_something_new_is_a_command(text: str) -> None:
    assert detect(Actor.USER, text, "awaiting_input").intent is Intent.COMMAND


def test_turning_away_without_an_order_still_answers() -> None:
    assert detect(Actor.USER, "never mind", "awaiting_input").intent is Intent.ANSWER


# Laws

ANY_TEXT = (
    st.none()
    | st.text(st.characters(), max_size=300)
    | st.text("?`\"'*_#|>[]() \n.i", max_size=300)
)


@given(st.sampled_from(Actor), ANY_TEXT, st.sampled_from(STATES), st.none() | st.booleans())
def test_any_turn_has_a_verdict_that_fits_its_actor_and_end(
    actor: Actor, text: str | None, state: str, final: bool | None
) -> None:
    verdict = detect(actor, text, state, final)

    by_user = {Intent.COMMAND, Intent.ANSWER}
    by_end = {
        None: {Intent.QUESTION, Intent.PROGRESS, Intent.COMPLETION},
        False: {Intent.PROGRESS},
        True: {Intent.QUESTION, Intent.COMPLETION},
    }
    assert verdict.intent in (by_user if actor is Actor.USER else by_end[final])
    assert 0 < verdict.confidence <= 1
    assert verdict.because


@given(st.text(max_size=200), st.sampled_from(STATES))
def test_without_a_pending_question_only_the_state_counts(text: str, state: str) -> None:
    answers = detect(Actor.USER, text, state).intent is Intent.ANSWER

    assert not answers or state == "awaiting_input"


@pytest.mark.parametrize("text", ["\0", "\ud800?", "done \udfff", "\u202e?"])
def test_odd_characters_are_text_like_any_other(text: str) -> None:
    assert said(text).because


@pytest.mark.parametrize(
    "unit", ["?", " ", "`", '"', "'", "*", "? ", "i need ", "```\n", "**a?** ", "请"]
)
def test_the_work_does_not_grow_with_the_middle_of_a_long_message(unit: str) -> None:
    long = unit * (MEGABYTE // len(unit))

    assert said(long).because
    assert sum(len(sentence.text) for sentence in sentences(long)) <= 20_000


def test_code_that_is_open_where_the_middle_was_cut_stays_code() -> None:
    message = "Here it is.\n\n```\n" + "is it? \n" * 10_000 + "```\n\nThe file is in place."

    assert said(message).intent is Intent.COMPLETION


def test_every_phrase_is_a_pattern_in_lower_case() -> None:
    tables = (ASKS, DIRECTED, OPEN, RHETORICAL, OFFERS, DONE, ACTS, STEPS, UNDER_WAY, TURNS_AWAY)
    for phrase in (phrase for table in tables for phrase in table):
        assert compiled(phrase)
        assert phrase.replace(r"\S", "").replace(r"\W", "").islower() or not phrase.isascii()


# The command


def judged(*lines: str) -> tuple[list[dict[str, object]], str, int]:
    result = CliRunner().invoke(command, input="\n".join(lines).encode("utf-8", "surrogatepass"))
    return (
        [json.loads(line) for line in result.stdout.splitlines()],
        result.stderr,
        result.exit_code,
    )


def test_the_command_adds_the_verdict_and_keeps_what_was_there() -> None:
    (turn,), errors, status = judged(
        '{"id": 7, "actor": "agent", "text": "Done.", "state": "processing", "note": "ä"}'
    )

    keys = ["id", "actor", "text", "state", "note", "intent", "confidence", "because"]
    assert list(turn) == keys
    assert (turn["intent"], turn["note"]) == ("completion", "ä")
    assert (errors, status) == ("", 0)


def test_the_command_hears_whether_the_turn_has_ended() -> None:
    (turn,), _, _ = judged('{"actor": "agent", "text": "Done.", "state": "x", "final": false}')

    assert turn["intent"] == "progress"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not JSON"),
        ("[1]", "not an object"),
        ('{"text": "a", "state": "idle"}', "actor is missing"),
        ('{"actor": "cat", "text": "a", "state": "idle"}', 'actor is "cat"'),
        ('{"actor": "user", "text": 5, "state": "idle"}', "text is 5"),
        ('{"actor": "user", "text": "a", "state": []}', "state is []"),
        ('{"actor": "user", "text": "a", "state": "idle", "final": 1}', "final is 1"),
        ("[" * 100_000, "not JSON"),
        ("\ud800", "not UTF-8"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_is_judged(line: str, problem: str) -> None:
    turns, errors, status = judged("", line, '{"actor": "user", "text": "go", "state": "idle"}')

    assert [turn["intent"] for turn in turns] == ["command"]
    assert errors.startswith("Line 2 is left out: ")
    assert problem in errors
    assert errors.count("\n") == 1
    assert status == 1


def test_a_lone_surrogate_survives_the_command() -> None:
    (turn,), _, status = judged('{"actor": "agent", "text": "a\\ud800", "state": "idle"}')

    assert (turn["text"], status) == ("a\ud800", 0)
