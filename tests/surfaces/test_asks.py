"""The queue over HTTP: what is offered, who answers, what the hook hears, who comes too late."""

import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.lab.asking import Answer, Caller, groups
from tests.lab.offering import (
    COMMAND,
    QUESTIONS,
    SUGGESTIONS,
    Json,
    Waiting,
    body,
    closed,
    edit,
    heard,
    offered,
    permission,
    plan,
    question,
    queue,
    shown,
    waiting,
)
from tests.lab.real_client import until
from tests.lab.served import served
from turnkeeper.daemon.absence import look_for_clients
from turnkeeper.facts.fact import START, Moment, Recorded
from turnkeeper.facts.kinds import AnswerRefused, Decision
from turnkeeper.sources.clock import SystemClock

HOOKS = "/api/hooks/claude"
RACES = 100
Make = Callable[[str], Json]


def say(caller: Caller, payload: Json) -> int:
    """Let another hook tell something; returns where it stands once the board holds it."""
    place = int(caller.post(HOOKS, json.dumps(payload).encode()).json()["position"])
    until(lambda: caller.get("/api/health").json()["board"] >= place or None, "the board")
    return place


def answer(caller: Caller, ask: Json, decision: str, **more: object) -> Answer:
    said = json.dumps({"decision": decision, **more}).encode()
    return caller.post(f"/api/asks/{ask['id']}/answer", said)


# What is shown ----------------------------------------------------------------------------------


def test_a_permission_is_shown_with_all_that_a_person_needs_to_decide(owner: Caller) -> None:
    hook, ask = offered(owner)
    hook.leave()

    assert (ask["kind"], ask["tool"], ask["title"]) == ("permission", "Bash", f"Bash: {COMMAND}")
    assert (ask["body"], ask["input"]["command"]) == (COMMAND, COMMAND)
    assert ask["decisions"] == ["allow", "always", "deny"]
    assert ask["suggestions"] == [
        "allow Bash(touch:*) without asking (in this project's local settings)"
    ]
    assert (ask["project"], ask["link"]) == ("", f"/#/asks/{ask['id']}")
    assert (ask["closed_at"], ask["outcome"], ask["why"], ask["answer"]) == (None,) * 4


def test_an_edit_is_shown_as_a_diff(owner: Caller) -> None:
    hook, ask = offered(owner, edit)
    hook.leave()

    assert ask["title"] == "Edit: /home/ada/shop/a.py"
    assert ask["diff"].splitlines()[-2:] == ["-x = 1", "+x = 2"]
    assert ask["decisions"] == ["allow", "deny"]


def test_a_question_is_shown_with_its_options(owner: Caller) -> None:
    hook, ask = offered(owner, question)
    hook.leave()

    assert (ask["kind"], ask["title"]) == ("question", "Which database? (and 1 more)")
    assert ask["decisions"] == ["answer", "deny"]
    assert [each["multiple"] for each in ask["questions"]] == [False, True]
    assert ask["questions"][0]["options"][0] == {"label": "SQLite", "description": "One file"}


def test_a_plan_is_shown_as_markdown(owner: Caller) -> None:
    hook, ask = offered(owner, plan)
    hook.leave()

    assert (ask["kind"], ask["decisions"]) == ("plan", ["approve", "reject"])
    assert ask["body"].startswith("# The plan")


def test_the_oldest_ask_comes_first(owner: Caller) -> None:
    hooks, asks = zip(*[offered(owner) for _ in range(3)], strict=True)
    for hook in hooks:
        hook.leave()

    numbers = [ask["id"] for ask in queue(owner)]
    assert [number for number in numbers if number in {ask["id"] for ask in asks}] == [
        ask["id"] for ask in asks
    ]


def test_what_was_closed_is_shown_on_request(owner: Caller) -> None:
    hook, ask = offered(owner)
    answer(owner, ask, "allow")
    hook.printed()

    assert ask["id"] not in {each["id"] for each in queue(owner)}
    found = {each["id"]: each for each in owner.get("/api/asks?closed_since=1h").json()}
    assert found[ask["id"]]["outcome"] == "answered"
    assert shown(owner, ask) == found[ask["id"]]


def test_an_ask_nobody_opened_is_not_found(owner: Caller) -> None:
    missing = owner.get("/api/asks/999999")
    unanswerable = answer(owner, {"id": 999999}, "allow")

    assert (missing.status, missing.json()["error"]) == (404, "AskUnknown")
    assert (unanswerable.status, unanswerable.json()["error"]) == (404, "AskUnknown")


# What the hook hears ----------------------------------------------------------------------------

REASON = "Not in this folder, please"
PLAN = {"plan": "# The plan\n\n1. Write the tests"}
CHOSEN = {"Which database?": "DuckDB, if it is quick", "Which checks?": ["Types", "Tests"]}
ALLOWED = {"behavior": "allow"}
HEARD: dict[str, tuple[Make, Json, Json]] = {
    "allow": (permission, {}, ALLOWED),
    "always": (permission, {}, {**ALLOWED, "updatedPermissions": SUGGESTIONS}),
    "deny": (permission, {"message": REASON}, {"behavior": "deny", "message": REASON}),
    "approve": (plan, {}, {**ALLOWED, "updatedInput": PLAN}),
    "reject": (plan, {"message": REASON}, {"behavior": "deny", "message": REASON}),
    "answer": (
        question,
        {"answers": CHOSEN},
        {
            **ALLOWED,
            "updatedInput": {
                "questions": QUESTIONS,
                "answers": {
                    "Which database?": "DuckDB, if it is quick",
                    "Which checks?": "Types, Tests",
                },
            },
        },
    ),
}


@pytest.mark.parametrize("decision", HEARD)
def test_the_hook_prints_what_was_decided(owner: Caller, decision: str) -> None:
    make, more, expected = HEARD[decision]
    hook, ask = offered(owner, make)

    done = answer(owner, ask, decision, by="ada", **more)

    assert done.status == 200
    assert hook.decision() == expected
    now = done.json()
    assert (now["outcome"], now["answer"]["decision"]) == ("answered", decision)
    assert (now["answer"]["by"], now["answerable"], now["decisions"]) == ("ada", False, [])
    assert now["why"].endswith(" by ada")


def test_a_question_that_is_denied_is_not_answered(owner: Caller) -> None:
    hook, ask = offered(owner, question)

    answer(owner, ask, "deny", message=REASON)

    assert hook.decision() == {"behavior": "deny", "message": REASON}


def test_the_hook_prints_nothing_when_the_terminal_was_first(owner: Caller) -> None:
    hook, ask = offered(owner)

    say(owner, heard("PostToolUse", hook.session, tool_name="Bash", tool_use_id="t-1"))

    assert hook.printed() is None
    assert closed(owner, ask)["outcome"] == "terminal"


def test_a_hook_that_comes_back_with_its_name_is_the_same_ask(owner: Caller) -> None:
    session = str(uuid4())
    first = Waiting(owner, permission(session))
    ask = waiting(owner, session)

    second = Waiting(owner, permission(session), first.offer)
    first.leave()
    until(lambda: shown(owner, ask)["answerable"] or None, "the hook that came back")
    answer(owner, ask, "allow")

    assert second.decision() == ALLOWED
    assert [each["id"] for each in queue(owner) if each["session_id"] == session] == []


def test_a_hook_that_leaves_leaves_the_ask_to_the_terminal(owner: Caller) -> None:
    hook, ask = offered(owner)

    hook.leave()
    now = waiting(owner, hook.session, answerable=False)

    assert (now["id"], now["decisions"], now["outcome"]) == (ask["id"], [], None)
    late = answer(owner, ask, "allow")
    assert (late.status, late.json()["error"]) == (409, "AskElsewhere")


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"{}",
        b"[]",
        b"{nope",
        body({"hook_event_name": "Stop", "session_id": "s"}, str(uuid4())),
        body({"hook_event_name": "PermissionRequest", "tool_name": "Bash"}, str(uuid4())),
        body(permission("s"), "short"),
        body(permission("s"), "../../../../etc/passwd"),
        body(permission("s"), "x" * 65),
    ],
)
def test_what_is_no_offer_is_refused(owner: Caller, said: bytes) -> None:
    refused = owner.post("/api/offers", said)

    assert refused.status == 422
    assert set(refused.json()) == {"error", "message", "hint"}


def test_an_offer_is_posted(owner: Caller) -> None:
    assert owner.get("/api/offers").status == 405


# Who comes too late -----------------------------------------------------------------------------


def test_a_second_answer_is_told_who_was_first_with_what_and_when(owner: Caller) -> None:
    hook, ask = offered(owner)
    first = answer(owner, ask, "deny", message=REASON, by="ada").json()

    second = answer(owner, ask, "allow", by="bob")

    assert second.status == 409
    told = second.json()
    assert set(told) == {"error", "message", "hint", "ask"}
    assert told["error"] == "AskClosed"
    assert "Denied by ada" in told["message"]
    assert first["answer"]["at"] in told["message"]
    assert told["ask"] == first
    assert hook.decision() == {"behavior": "deny", "message": REASON}


def test_an_answer_after_the_terminals_is_told_so(owner: Caller) -> None:
    hook, ask = offered(owner)
    say(owner, heard("PostToolUse", hook.session, tool_name="Bash", tool_use_id="t-1"))

    late = answer(owner, ask, "deny")

    assert late.status == 409
    assert "in the terminal" in late.json()["message"]
    assert late.json()["ask"]["outcome"] == "terminal"
    assert hook.printed() is None


def test_an_ask_without_a_hook_is_answered_in_its_terminal(owner: Caller) -> None:
    session = str(uuid4())
    say(owner, permission(session))
    ask = waiting(owner, session, answerable=False)

    refused = answer(owner, ask, "allow")

    assert refused.status == 409
    told = refused.json()
    assert (told["error"], told["ask"]) == ("AskElsewhere", ask)
    assert "turnkeeper hooks install" in told["hint"]


def raced(caller: Caller, ask: Json) -> list[Answer]:
    """Two people answer at once."""
    start = threading.Barrier(2)

    def give(decision: str) -> Answer:
        start.wait()
        return answer(caller, ask, decision, by=decision)

    with ThreadPoolExecutor(2) as people:
        return list(people.map(give, ["allow", "deny"]))


def test_of_two_answers_at_once_exactly_one_wins_and_the_hook_hears_that_one(
    owner: Caller,
) -> None:
    winners = []
    for _ in range(RACES):
        hook, ask = offered(owner)
        answers = raced(owner, ask)

        assert sorted(each.status for each in answers) == [200, 409]
        won, lost = sorted(answers, key=lambda each: each.status)
        decision = won.json()["answer"]["decision"]
        assert lost.json()["ask"]["answer"] == won.json()["answer"]
        assert decision in lost.json()["message"].lower().replace("allowed", "allow").replace(
            "denied", "deny"
        )
        assert hook.decision()["behavior"] == decision
        winners.append(decision)
    assert len(winners) == RACES


# What does not fit ------------------------------------------------------------------------------

MEGABYTE = "x" * 1_000_000
BOTH: Json = {"Which database?": "SQLite", "Which checks?": ["Types"]}
UNFIT: dict[str, tuple[Make, object]] = {
    "an unknown decision": (permission, {"decision": "perhaps"}),
    "no decision": (permission, {}),
    "a number for a decision": (permission, {"decision": 1}),
    "a list for a body": (permission, ["allow"]),
    "a decision of another kind": (permission, {"decision": "approve"}),
    "allowing a question": (question, {"decision": "allow"}),
    "dismissing a permission": (permission, {"decision": "dismiss"}),
    "always without a suggestion": (edit, {"decision": "always"}),
    "answers to a permission": (permission, {"decision": "allow", "answers": BOTH}),
    "a number for a message": (permission, {"decision": "deny", "message": 1}),
    "a list for answers": (question, {"decision": "answer", "answers": ["SQLite"]}),
    "a number for an answer": (question, {"decision": "answer", "answers": {**BOTH, "x": 1}}),
    "no answers": (question, {"decision": "answer"}),
    "too few answers": (question, {"decision": "answer", "answers": {"Which database?": "a"}}),
    "an empty answer": (
        question,
        {"decision": "answer", "answers": {**BOTH, "Which database?": " "}},
    ),
    "an empty list": (question, {"decision": "answer", "answers": {**BOTH, "Which checks?": []}}),
    "an unknown question": (question, {"decision": "answer", "answers": {**BOTH, "Why?": "a"}}),
    "an option that is not offered": (
        question,
        {"decision": "answer", "answers": {**BOTH, "Which checks?": ["Lint"]}},
    ),
    "two options where one fits": (
        question,
        {"decision": "answer", "answers": {**BOTH, "Which database?": ["SQLite", "PostgreSQL"]}},
    ),
    "an option twice": (
        question,
        {"decision": "answer", "answers": {**BOTH, "Which checks?": ["Types", "Types"]}},
    ),
    "too many options": (
        question,
        {"decision": "answer", "answers": {**BOTH, "Which checks?": ["Types"] * 100_000}},
    ),
    "a megabyte of message": (permission, {"decision": "deny", "message": MEGABYTE}),
    "a megabyte of answer": (
        question,
        {"decision": "answer", "answers": {**BOTH, "Which database?": MEGABYTE}},
    ),
    "a megabyte of question": (question, {"decision": "answer", "answers": {MEGABYTE: "a"}}),
    "a megabyte of name": (permission, {"decision": "allow", "by": MEGABYTE}),
    "a message that steers a terminal": (permission, {"decision": "deny", "message": "\x1b[2J"}),
    "a message with a NUL": (permission, {"decision": "deny", "message": "a\0b"}),
    "a name over two lines back": (permission, {"decision": "allow", "by": "ada\r\x1b[A"}),
    "an answer that steers a terminal": (
        question,
        {"decision": "answer", "answers": {**BOTH, "Which database?": "\x9b2J"}},
    ),
}


@pytest.mark.parametrize("case", UNFIT)
def test_an_answer_that_does_not_fit_is_refused_and_the_ask_waits_on(
    owner: Caller, case: str
) -> None:
    make, said = UNFIT[case]
    hook, ask = offered(owner, make)

    refused = owner.post(f"/api/asks/{ask['id']}/answer", json.dumps(said).encode())

    assert refused.status == 422
    told = refused.json()
    assert set(told) == {"error", "message", "hint"}
    assert (told["error"], len(told["message"]) < 400) == ("AnswerUnfit", True)
    assert shown(owner, ask) == ask
    hook.leave()


def test_line_ends_and_tabs_steer_nothing(owner: Caller) -> None:
    hook, ask = offered(owner)

    assert answer(owner, ask, "deny", message="first\n\tsecond").status == 200
    assert hook.decision()["message"] == "first\n\tsecond"


def test_a_token_that_may_only_read_answers_nothing(owner: Caller, guest: Caller) -> None:
    hook, ask = offered(owner)

    assert shown(guest, ask) == ask
    refused = answer(guest, ask, "allow")
    assert (refused.status, refused.json()["error"]) == (403, "ReadOnly")
    assert guest.post("/api/offers", body(permission("s"), str(uuid4()))).status == 403
    assert shown(owner, ask)["outcome"] is None
    hook.leave()


def test_without_a_token_nothing_is_answered(owner: Caller, stranger: Caller) -> None:
    hook, ask = offered(owner)

    assert answer(stranger, ask, "allow").status == 401
    assert stranger.get("/api/asks").status == 401
    hook.leave()


# Words and errors -------------------------------------------------------------------------------

QUESTION = "There are two ways.\n\nWhich one would you prefer?"


def test_not_a_question_is_kept(owner: Caller) -> None:
    session = str(uuid4())
    say(owner, heard("UserPromptSubmit", session, prompt="which way?"))
    say(owner, heard("Stop", session, last_assistant_message=QUESTION))
    ask = waiting(owner, session, answerable=False)

    done = answer(owner, ask, "dismiss")

    assert (ask["kind"], ask["title"]) == ("words", "Which one would you prefer?")
    assert (ask["decisions"], ask["confidence"] > 0) == (["dismiss"], True)
    assert (done.status, done.json()["outcome"]) == (200, "dismissed")
    assert owner.get(f"/api/agents/{session}").json()["standing"] == "idle"
    turns = owner.get(f"/api/agents/{session}/turns").json()
    assert [turn["intent"] for turn in turns] == ["command", "completion"]


def test_an_error_is_dismissed(owner: Caller) -> None:
    session = str(uuid4())
    say(owner, heard("UserPromptSubmit", session, prompt="go on"))
    say(owner, heard("StopFailure", session, error="rate_limit", error_details="until nine"))
    ask = waiting(owner, session, answerable=False)

    assert (ask["kind"], ask["body"]) == ("error", "rate_limit: until nine")
    assert answer(owner, ask, "allow").status == 422
    assert answer(owner, ask, "dismiss").json()["outcome"] == "dismissed"


# The stream -------------------------------------------------------------------------------------


def test_the_stream_tells_of_an_ask_from_its_opening_to_its_end(owner: Caller) -> None:
    session = str(uuid4())
    with owner.hear() as stream:
        events = iter(stream)
        next(events)
        hook = Waiting(owner, permission(session))
        ask = waiting(owner, session)
        hook.leave()
        waiting(owner, session, answerable=False)
        end = heard("PostToolUse", session, tool_name="Bash", tool_use_id="t-1")
        last = say(owner, end)
        told: list[tuple[str, Any]] = []
        places = []
        for place, group in groups(events):
            told += [(each.name, each.data) for each in group if each.name.startswith("ask_")]
            places.append(place)
            if place >= last:
                break

    mine = [(name, data) for name, data in told if data["session_id"] == session]
    assert [name for name, _ in mine] == ["ask_opened", "ask_updated", "ask_closed"]
    assert [data["answerable"] for _, data in mine] == [True, False, False]
    assert {data["id"] for _, data in mine} == {ask["id"]}
    assert (mine[-1][1]["outcome"], mine[-1][1]["why"]) == (
        "terminal",
        "It was answered in the terminal",
    )
    assert places == sorted(places)


def test_the_stream_tells_of_an_answer_once_and_by_whom(owner: Caller) -> None:
    with owner.hear() as stream:
        events = iter(stream)
        next(events)
        hook, ask = offered(owner)
        answer(owner, ask, "allow", by="ada")
        ended = next(
            each for each in events if each.name == "ask_closed" and each.data["id"] == ask["id"]
        )
        hook.printed()

    assert (ended.data["outcome"], ended.data["answerable"]) == ("answered", False)
    assert ended.data["why"] == "Allowed by ada"


def test_a_snapshot_holds_what_waits(owner: Caller) -> None:
    hook, ask = offered(owner)
    done, over = offered(owner)
    answer(owner, over, "allow")

    with owner.hear() as stream:
        asks = {each["id"]: each for each in next(iter(stream)).data["asks"]}

    assert (asks[ask["id"]]["title"], asks[ask["id"]]["answerable"]) == (
        "Bash wants permission",
        True,
    )
    assert over["id"] not in asks
    hook.leave()
    done.leave()


# What is kept of it -----------------------------------------------------------------------------


class Impatient(SystemClock):
    """A clock on which nobody waits."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


async def test_a_refused_answer_is_recorded_and_changes_nothing(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        hook, ask = await asyncio.to_thread(offered, here.caller)

        def refused() -> list[int]:
            answers = [
                answer(here.caller, ask, "approve", by="b" * 200),
                answer(here.caller, ask, "approve", by="b" * 200),
                answer(here.caller, {"id": 999}, "allow"),
                answer(here.caller, ask, "deny", message="x" * 30_000, by="c" * 30_000),
            ]
            return [each.status for each in answers]

        agents = await asyncio.to_thread(here.caller.get, "/api/agents")
        statuses = await asyncio.to_thread(refused)
        after = await asyncio.to_thread(here.caller.get, "/api/agents")
        facts = [each.fact.what for each in await everything(here.parts.journal)]
        hook.leave()

    assert statuses == [422, 422, 404, 422]
    assert after.body == agents.body
    notes = [what for what in facts if isinstance(what, AnswerRefused)]
    assert [note.ask for note in notes] == [ask["id"], ask["id"], 999, ask["id"]]
    assert (notes[0].decision, notes[0].by) == (Decision.APPROVE, "b" * 200)
    assert "it takes allow, always, deny, not approve" in notes[0].why
    assert max(len(note.why) + len(note.by) for note in notes) <= 700


async def everything(journal: Any) -> list[Recorded]:
    found: list[Recorded] = await journal.after(START, 10_000)
    return found


async def test_a_late_answer_is_recorded_as_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        hook, ask = await asyncio.to_thread(offered, here.caller)
        await asyncio.to_thread(answer, here.caller, ask, "allow", by="ada")
        await asyncio.to_thread(answer, here.caller, ask, "deny", by="bob")
        facts = [each.fact.what for each in await everything(here.parts.journal)]
        hook.leave()

    [note] = [what for what in facts if isinstance(what, AnswerRefused)]
    assert (note.decision, note.by) == (Decision.DENY, "bob")
    assert "Allowed by ada" in note.why


async def test_an_answer_that_nobody_came_back_for_is_lost_and_the_terminal_asks_on(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as before:
        hook, ask = await asyncio.to_thread(offered, before.caller)
    hook.leave()

    async with served(tmp_path, clock=Impatient()) as here:
        done = await asyncio.to_thread(answer, here.caller, ask, "allow")
        await here.parts.offers.await_the_lost()
        await here.parts.projector.reached(await here.parts.journal.last())
        again = await asyncio.to_thread(shown, here.caller, ask)
        late = await asyncio.to_thread(answer, here.caller, ask, "allow")

    assert done.status == 200
    assert (again["outcome"], again["answerable"], again["answer"]) == (None, False, None)
    assert (late.status, late.json()["error"]) == (409, "AskElsewhere")


class Later(SystemClock):
    """An hour after everybody else's clock."""

    def now(self) -> Moment:
        return Moment(super().now() + 3_600_000_000)


async def test_a_client_whose_hook_waits_is_not_missing(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        parts = here.parts
        hook, ask = await asyncio.to_thread(offered, here.caller)

        async def after_a_look() -> Json:
            await look_for_clients(
                parts.store, parts.keeper, Later(), "here", lambda: parts.offers.sessions
            )
            await parts.projector.reached(await parts.journal.last())
            return await asyncio.to_thread(shown, here.caller, ask)

        waits = await after_a_look()
        hook.leave()
        await asyncio.to_thread(waiting, here.caller, hook.session, answerable=False)
        over = await after_a_look()

    assert waits["outcome"] is None
    assert (over["outcome"], over["closed_at"][:4] > "2000") == ("ended", True)


async def test_an_answer_that_was_heeded_long_ago_is_not_lost(tmp_path: Path) -> None:
    async with served(tmp_path) as before:
        hook, ask = await asyncio.to_thread(offered, before.caller)
        await asyncio.to_thread(answer, before.caller, ask, "allow")
        await asyncio.to_thread(hook.printed)
        end = heard("PostToolUse", hook.session, tool_name="Bash", tool_use_id="t-1")
        await before.said(json.dumps(end).encode())
        next_hook = await asyncio.to_thread(
            Waiting, before.caller, permission(hook.session, "touch more.txt")
        )
        await asyncio.to_thread(waiting, before.caller, hook.session)
    next_hook.leave()

    async with served(tmp_path, clock=Impatient()) as here:
        await here.parts.offers.await_the_lost()
        await here.parts.projector.reached(await here.parts.journal.last())
        first = await asyncio.to_thread(shown, here.caller, ask)
        second = await asyncio.to_thread(waiting, here.caller, hook.session, answerable=False)

    assert (first["outcome"], first["answer"]["decision"]) == ("answered", "allow")
    assert second["body"] == "touch more.txt"
