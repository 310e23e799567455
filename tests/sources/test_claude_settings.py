"""Our hooks go into any settings file and come out again, and nothing else moves."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examined
from hypothesis import strategies as st

from turnkeeper.errors import FolderUnusable, SettingsUnreadable
from turnkeeper.sources.claude_hook_commands import (
    EVENTS,
    HOOKS,
    MARK,
    Entry,
    Pace,
    Writes,
    command,
    entries,
    known_hooks,
)
from turnkeeper.sources.claude_settings import (
    State,
    hindrances,
    plan_install,
    plan_uninstall,
    standing,
)

with_care = examined(max_examples=40, deadline=None)

OURS = entries(Path("/home/ann/.local/share/turnkeeper"))
OLDER = entries(Path("/somewhere/else"), "2.0.50")

words = st.text(max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3)
)
foreign_entries = st.lists(
    st.fixed_dictionaries({"matcher": words, "hooks": st.lists(anything, max_size=2)}) | scalars,
    max_size=3,
)
events = st.sampled_from([*EVENTS, "Setup", "FileChanged"])
settings = st.builds(
    lambda others, hooks: {**others, **hooks},
    st.dictionaries(words.filter(lambda key: key != "hooks"), anything, max_size=4),
    st.just({}) | st.fixed_dictionaries({"hooks": st.dictionaries(events, foreign_entries)}),
)


@st.composite
def documents(draw: st.DrawFn) -> tuple[dict[str, object], str]:
    """A settings object, and one way to write it down."""
    content = draw(settings)
    said = json.dumps(
        content,
        indent=draw(st.sampled_from([None, 0, 1, 2, 4, 8, "\t"])),
        ensure_ascii=draw(st.booleans()),
        separators=(draw(st.sampled_from([",", ", "])), draw(st.sampled_from([":", ": ", " : "]))),
    )
    said = said.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    lead = draw(st.sampled_from(["", "\ufeff", " ", "\n"]))
    return content, lead + said + draw(st.sampled_from(["", "\n", "\r\n", "  \n\n"]))


def read(text: str) -> dict[str, object]:
    document: dict[str, object] = json.loads(text.removeprefix("\ufeff"))
    return document


def with_ours(content: dict[str, object], ours: dict[str, Entry]) -> dict[str, object]:
    document = copy.deepcopy(content)
    hooks = document.setdefault("hooks", {})
    assert isinstance(hooks, dict)
    for event, entry in ours.items():
        hooks.setdefault(event, []).append(entry)
    return document


def without_empty_events(content: dict[str, object]) -> dict[str, object]:
    document = copy.deepcopy(content)
    hooks = document.get("hooks")
    if isinstance(hooks, dict):
        kept = {event: listed for event, listed in hooks.items() if listed or event not in EVENTS}
        document = {**document, "hooks": kept}
        if not kept:
            del document["hooks"]
    return document


def is_woven_into(small: str, large: str) -> bool:
    rest = iter(large)
    return all(character in rest for character in small)


@with_care
@given(documents())
def test_the_result_is_the_old_document_plus_our_entries(
    written: tuple[dict[str, object], str],
) -> None:
    content, text = written

    assert read(plan_install(text, OURS)) == with_ours(content, OURS)


@with_care
@given(documents())
def test_existing_keys_keep_their_order_and_every_old_character_stays(
    written: tuple[dict[str, object], str],
) -> None:
    content, text = written

    after = plan_install(text, OURS)

    assert list(read(after))[: len(content)] == list(content)
    assert is_woven_into(text, after)


@with_care
@given(documents())
def test_installing_twice_changes_nothing(written: tuple[dict[str, object], str]) -> None:
    once = plan_install(written[1], OURS)

    assert plan_install(once, OURS) == once


@with_care
@given(documents())
def test_leaving_without_a_memory_gives_back_everything_but_empty_lists(
    written: tuple[dict[str, object], str],
) -> None:
    content, text = written

    after = plan_uninstall(plan_install(text, OURS))

    assert without_empty_events(read(after)) == without_empty_events(content)
    if content == without_empty_events(content) and content:
        assert after == text


@with_care
@given(documents())
def test_leaving_with_the_old_text_at_hand_keeps_empty_lists_too(
    written: tuple[dict[str, object], str],
) -> None:
    content, text = written

    assert read(plan_uninstall(plan_install(text, OURS), before=text)) == content


@with_care
@given(documents())
def test_an_update_replaces_our_entries_and_nothing_else(
    written: tuple[dict[str, object], str],
) -> None:
    _, text = written

    updated = plan_install(plan_install(text, OLDER), OURS)

    assert set(standing(updated, OURS).values()) == {State.INSTALLED}
    assert read(updated) == read(plan_install(text, OURS))


@with_care
@given(documents())
def test_events_that_an_older_client_does_not_know_are_taken_out(
    written: tuple[dict[str, object], str],
) -> None:
    _, text = written

    states = standing(plan_install(plan_install(text, OURS), OLDER), OLDER)

    assert {event for event, state in states.items() if state is State.INSTALLED} == set(OLDER)
    assert {event for event, state in states.items() if state is State.LEFT_OUT} == (
        set(EVENTS) - set(OLDER)
    )


@with_care
@given(st.text(max_size=60) | anything.map(json.dumps))
def test_any_text_is_either_served_or_refused_with_a_sentence(text: str) -> None:
    try:
        after = plan_install(text, OURS, file="/home/ann/settings.json")
    except SettingsUnreadable as refused:
        refusal = refused
    else:
        assert set(standing(after, OURS).values()) == {State.INSTALLED}
        return

    assert "/home/ann/settings.json" in str(refusal)
    assert refusal.hint


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{\n  "a": 1,\n}', "line 3, column 1: it is not JSON"),
        ('{"a": ', "line 1, column 7: it is not JSON"),
        ('{\n  // mine\n  "a": 1\n}', "line 2, column 3: there is a comment"),
        ('{"a": 1 /* mine */}', "line 1, column 9: there is a comment"),
        ('{"a": 1}\n// mine\n', "line 2, column 1: there is a comment"),
        ("[]", "line 1: it holds something else than an object"),
        ("null", "line 1: it holds something else than an object"),
        ('{\n "hooks": []}', 'line 2, column 11: "hooks" is not an object'),
        ('{"hooks":\n{"Stop": {}}}', "line 2, column 10: the hooks of Stop are not a list"),
        ('{"a": NaN}', "it holds NaN"),
        ("[" * 100_000, "it is nested too deeply"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_refused_with_the_place(
    text: str, why: str
) -> None:
    with pytest.raises(SettingsUnreadable) as refused:
        plan_install(text, OURS)

    assert refused.value.why.startswith(why)


def test_an_event_that_is_not_ours_may_be_anything() -> None:
    text = '{"hooks": {"Setup": "odd"}}'

    assert plan_uninstall(plan_install(text, OURS)) == text


def test_the_last_of_two_equal_keys_is_the_one_that_counts() -> None:
    text = '{"hooks": {"Stop": 1}, "hooks": {"Stop": [], "Stop": []}}'

    after = plan_install(text, OURS)

    assert set(standing(after, OURS).values()) == {State.INSTALLED}
    assert read(after) == with_ours({"hooks": {"Stop": []}}, OURS)


def test_numbers_and_escapes_are_not_rewritten() -> None:
    text = '{"n": 1.50e+3, "long": ' + "9" * 5000 + ', "e": "\\u00e9\\/", "é": "\\ud800"}'

    assert plan_install(text, OURS).startswith(text[:-1])


def test_entries_take_the_indentation_of_the_file() -> None:
    text = '{\r\n\t"hooks": {\r\n\t\t"Stop": []\r\n\t}\r\n}\r\n'

    after = plan_install(text, {"Stop": {MARK: "1", "hooks": []}})

    assert after == text.replace(
        "[]",
        '[\r\n\t\t\t{\r\n\t\t\t\t"turnkeeper": "1",\r\n\t\t\t\t"hooks": []\r\n\t\t\t}\r\n\t\t]',
    )


def test_a_new_file_is_laid_out_for_people() -> None:
    assert plan_install("", {"Stop": {MARK: "1"}}) == (
        '{\n  "hooks": {\n    "Stop": [\n      {\n        "turnkeeper": "1"\n'
        "      }\n    ]\n  }\n}\n"
    )


def test_a_copied_entry_of_ours_is_made_one_again() -> None:
    twice = json.dumps(with_ours(with_ours({}, OURS), OURS))

    assert set(standing(twice, OURS).values()) == {State.OUTDATED}
    assert read(plan_install(twice, OURS)) == with_ours({}, OURS)


def test_the_base_command_is_the_one_that_was_ruled() -> None:
    stop = next(hook for hook in HOOKS if hook.event == "Stop")

    assert command(stop, Path("/d")) == (
        '{ cat >> "/d/spool/${CLAUDE_CODE_SESSION_ID:-x}.$$.jsonl" || cat; } >/dev/null 2>&1 || :'
    )


def test_the_end_of_a_session_reads_one_line_and_sets_no_timeout() -> None:
    said = json.dumps(OURS["SessionEnd"])

    assert "head -n 1" in said
    assert "cat" not in said
    assert "timeout" not in said


def test_session_prompt_and_stop_hooks_are_waited_for_and_always_write() -> None:
    waited_for = {hook.event for hook in HOOKS if hook.pace is Pace.WAITED_FOR}

    assert waited_for == {"SessionStart", "SessionEnd", "UserPromptSubmit", "Stop", "StopFailure"}
    assert not any(hook.writes is Writes.WHILE_OPEN for hook in HOOKS if hook.event in waited_for)
    assert {event for event in OURS if '"async": true' in json.dumps(OURS[event])} == (
        set(EVENTS) - waited_for - {"PermissionRequest"}
    )


def test_the_hook_that_waits_for_a_person_may_wait_a_day_where_one_sits() -> None:
    [waits] = [hook for hook in HOOKS if hook.pace is Pace.WAITING]
    run = json.dumps(OURS[waits.event])

    assert waits.event == "PermissionRequest"
    assert '"timeout": 86400' in run
    assert "CLAUDE_CODE_ENTRYPOINT" in run


@pytest.mark.parametrize(
    ("version", "left_out"),
    [
        (None, set()),
        ("2.1.325", set()),
        ("no version at all", set()),
        ("2.1.82", {"CwdChanged"}),
        ("2.1.77", {"CwdChanged", "StopFailure"}),
        ("2.1.9", {"CwdChanged", "StopFailure", "PostCompact"}),
    ],
)
def test_an_older_client_gets_only_the_events_it_knows(
    version: str | None, left_out: set[str]
) -> None:
    assert {hook.event for hook in known_hooks(version)} == set(EVENTS) - left_out


def test_a_client_before_async_is_not_told_of_it() -> None:
    assert "async" not in json.dumps(entries(Path("/d"), "2.1.14"))
    assert "async" in json.dumps(entries(Path("/d"), "2.1.15"))


def test_a_folder_that_json_cannot_name_is_refused() -> None:
    with pytest.raises(FolderUnusable):
        entries(Path("/d/\udcff"))


def test_whatever_keeps_hooks_from_running_is_named() -> None:
    assert hindrances('{"disableAllHooks": true}') == [
        "disableAllHooks is set in the settings, so the client runs no hook"
    ]
    assert len(hindrances("{}", '{"allowManagedHooksOnly": true, "disableAllHooks": true}')) == 2
    assert hindrances('{"disableAllHooks": false}', "not JSON") == []
