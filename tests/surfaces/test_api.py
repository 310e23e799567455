"""What the API answers, in which shape, and that its description leaves nothing out."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute
from prometheus_client.parser import text_string_to_metric_families

from tests.lab.asking import Answer, Caller, bearing
from tests.lab.daemon import Daemon
from tests.lab.real_client import until
from tests.lab.served import prompt, served
from turnkeeper import errors
from turnkeeper.desk.inquiry import Why
from turnkeeper.desk.reconcile import Reconciled
from turnkeeper.errors import TurnkeeperError
from turnkeeper.projections.cards import Card
from turnkeeper.projections.events import SCHEMAS
from turnkeeper.projections.shown import CommandTold, TransitionTold, TurnTold
from turnkeeper.surfaces.http.app import document_of
from turnkeeper.surfaces.http.desk import Health
from turnkeeper.surfaces.http.replies import STATUS, Problem

HOOKS = "/api/hooks/claude"
RAW = {"/api/offers": "post", "/api/hooks/claude": "post", "/api/stream": "get"}
PROMPTS = 23
PAGE = 5
METRICS = {
    "turnkeeper_transitions",
    "turnkeeper_rejections",
    "turnkeeper_intents",
    "turnkeeper_facts",
    "turnkeeper_turns",
    "turnkeeper_reconciles",
    "turnkeeper_reconciled",
    "turnkeeper_fact_to_board_seconds",
    "turnkeeper_journal_position",
    "turnkeeper_journal_lag",
    "turnkeeper_stream_clients",
}


def shaped(answer: Answer, shape: Any) -> Any:
    """What was answered, if it has this shape to the letter."""
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "application/json"
    told = msgspec.json.decode(answer.body, type=shape, strict=True)
    assert msgspec.to_builtins(told) == answer.json()
    return told


def refused(answer: Answer, status: int, error: str) -> None:
    assert answer.status == status, answer.body
    problem = msgspec.json.decode(answer.body, type=Problem)
    assert msgspec.to_builtins(problem) == answer.json()
    assert problem.error == error
    assert problem.message
    assert problem.hint


def post(owner: Caller, *payloads: bytes) -> int:
    """Tell these, and wait until the board knows."""
    position = 0
    for payload in payloads:
        answer = owner.post(HOOKS, payload)
        assert answer.status == 202, answer.body
        position = answer.json()["position"]
    until(lambda: owner.get("/api/health").json()["board"] >= position or None, "the board")
    return position


@pytest.fixture(scope="module")
def session(daemon: Daemon) -> str:
    """A session in which a person has said much."""
    name = str(uuid4())
    owner = bearing(daemon.url, daemon.token)
    post(owner, *(prompt(name, f"prompt {number}") for number in range(PROMPTS)))
    return name


# What is read -----------------------------------------------------------------------------------


def test_health_is_told(owner: Caller, session: str) -> None:
    health = shaped(owner.get("/api/health"), Health)

    assert health.status == "ok"
    assert health.failing == []
    assert health.board == health.position > 0


def test_every_agent_is_told(owner: Caller, session: str) -> None:
    cards = shaped(owner.get("/api/agents"), list[Card])

    assert [card for card in cards if card.session_id == session]


def test_closed_agents_are_left_out_where_nobody_asks_for_them(owner: Caller) -> None:
    gone = str(uuid4())
    end = {"hook_event_name": "SessionEnd", "session_id": gone, "reason": "other"}
    post(owner, prompt(gone, "goodbye"), msgspec.json.encode(end))

    everyone = shaped(owner.get("/api/agents"), list[Card])
    open_ones = shaped(owner.get("/api/agents?closed=false"), list[Card])
    assert gone in {card.session_id for card in everyone}
    assert gone not in {card.session_id for card in open_ones}
    assert "closed" not in {card.standing for card in open_ones}


def test_an_agent_is_found_by_number_session_or_the_beginning_of_one(
    owner: Caller, session: str
) -> None:
    card = shaped(owner.get(f"/api/agents/{session}"), Card)

    for name in (str(card.id), session[:6], session[:13]):
        assert shaped(owner.get(f"/api/agents/{name}"), Card).id == card.id


@pytest.mark.parametrize("path", ["", "/turns", "/transitions", "/commands", "/why"])
def test_nobody_is_404(owner: Caller, path: str) -> None:
    for name in ("9999", str(uuid4()), "short", "%F0%9F%A6%86%F0%9F%A6%86%F0%9F%A6%86%20%25"):
        refused(owner.get(f"/api/agents/{name}{path}"), 404, "AgentUnknown")


def test_five_characters_name_nobody(owner: Caller, session: str) -> None:
    refused(owner.get(f"/api/agents/{session[:5]}"), 404, "AgentUnknown")


def test_a_beginning_of_two_sessions_is_409(owner: Caller) -> None:
    post(owner, prompt("twins-one", "hello"), prompt("twins-two", "hello"))

    refused(owner.get("/api/agents/twins-"), 409, "AgentAmbiguous")


def test_turns_are_told_in_order(owner: Caller, session: str) -> None:
    turns = shaped(owner.get(f"/api/agents/{session}/turns"), list[TurnTold])

    assert [turn.text for turn in turns] == [f"prompt {number}" for number in range(PROMPTS)]
    assert {turn.actor for turn in turns} == {"user"}


def pages(owner: Caller, session: str, towards: str) -> Iterator[list[TurnTold]]:
    """Page by page from one end to the other."""
    place = "" if towards == "before" else "&after=first"
    while True:
        path = f"/api/agents/{session}/turns?limit={PAGE}{place}"
        page = shaped(owner.get(path), list[TurnTold])
        if not page:
            return
        yield page
        place = f"&{towards}={page[0 if towards == 'before' else -1].cursor}"


def test_paging_backwards_leaves_no_gap_and_repeats_nothing(owner: Caller, session: str) -> None:
    seen = list(pages(owner, session, "before"))

    told = [turn.text for page in reversed(seen) for turn in page]
    assert len(seen) > 3
    assert told == [f"prompt {number}" for number in range(PROMPTS)]


def test_paging_forwards_leaves_no_gap_and_repeats_nothing(owner: Caller, session: str) -> None:
    seen = list(pages(owner, session, "after"))

    told = [turn.text for page in seen for turn in page]
    assert len(seen) > 3
    assert told == [f"prompt {number}" for number in range(PROMPTS)]


def test_one_turn_is_told_by_its_position(owner: Caller, session: str) -> None:
    turns = shaped(owner.get(f"/api/agents/{session}/turns"), list[TurnTold])

    path = f"/api/agents/{session}/turns/{turns[4].position}"
    assert shaped(owner.get(path), TurnTold) == turns[4]


@pytest.mark.parametrize("position", [0, -1, 2**53])
def test_a_turn_that_nobody_said_is_404(owner: Caller, session: str, position: int) -> None:
    refused(owner.get(f"/api/agents/{session}/turns/{position}"), 404, "TurnUnknown")


def test_a_turn_of_another_agent_is_404(owner: Caller, session: str) -> None:
    post(owner, prompt("somebody-else", "hello"))
    [turn] = shaped(owner.get("/api/agents/somebody-else/turns"), list[TurnTold])

    refused(owner.get(f"/api/agents/{session}/turns/{turn.position}"), 404, "TurnUnknown")


def test_turns_since_a_position_are_those_told_after_it(owner: Caller, session: str) -> None:
    turns = shaped(owner.get(f"/api/agents/{session}/turns"), list[TurnTold])

    path = f"/api/agents/{session}/turns?since_position={turns[-3].position}"
    assert shaped(owner.get(path), list[TurnTold]) == turns[-2:]


@pytest.mark.parametrize("cursor", ["x", "!!", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk6MQ", "MTox%C3%A4"])
def test_a_cursor_we_did_not_hand_out_is_422(owner: Caller, session: str, cursor: str) -> None:
    answer = owner.get(f"/api/agents/{session}/turns?before={cursor}")

    refused(answer, 422, "CursorUnreadable")


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "since_position=99e99"])
def test_a_query_that_does_not_fit_is_400(owner: Caller, session: str, query: str) -> None:
    refused(owner.get(f"/api/agents/{session}/turns?{query}"), 400, "RequestUnreadable")


def test_transitions_are_told(owner: Caller, session: str) -> None:
    told = shaped(owner.get(f"/api/agents/{session}/transitions"), list[TransitionTold])

    assert ("idle", "commanded") in {(each.from_state, each.to_state) for each in told}


def test_commands_are_told(owner: Caller, session: str) -> None:
    told = shaped(owner.get(f"/api/agents/{session}/commands"), list[CommandTold])

    turns = shaped(owner.get(f"/api/agents/{session}/turns"), list[TurnTold])
    assert {each.id for each in told} == {turn.command_id for turn in turns}


def test_the_evidence_is_told(owner: Caller, session: str) -> None:
    why = shaped(owner.get(f"/api/agents/{session}/why"), Why)

    assert "hook" in {sign.source for sign in why.evidence}


def test_reconciling_tells_what_it_mended(owner: Caller, session: str) -> None:
    done = shaped(owner.post(f"/api/agents/{session}/reconcile"), Reconciled)

    assert done.session_id == session
    assert done.missing == 0


def test_an_address_nobody_serves_is_404(owner: Caller) -> None:
    refused(owner.get("/api/nothing"), 404, "NotFound")


# What is posted ---------------------------------------------------------------------------------


def test_a_posted_hook_is_on_the_board(owner: Caller) -> None:
    name = str(uuid4())

    post(owner, prompt(name, "hello by HTTP"))

    card = shaped(owner.get(f"/api/agents/{name}"), Card)
    assert card.last_turn is not None
    assert card.last_turn.text == "hello by HTTP"


def test_equal_payloads_stay_as_many_facts(owner: Caller) -> None:
    first = owner.post(HOOKS, prompt("same-words", "again")).json()["position"]

    assert owner.post(HOOKS, prompt("same-words", "again")).json()["position"] > first


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"{}", b'"x"', b"\xff\xfe", b'{"session_id": 1}']
)
def test_what_is_no_hook_payload_is_422(owner: Caller, body: bytes) -> None:
    refused(owner.post(HOOKS, body), 422, "PayloadUnreadable")


# The description --------------------------------------------------------------------------------


@pytest.fixture
def document(owner: Caller) -> Any:
    return owner.get("/api/openapi.json").json()


async def test_every_address_that_is_served_is_described(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        app = here.parts.app.app
        assert isinstance(app, Litestar)
        routes = {
            (route.path_format or "/", method.lower())
            for route in app.routes
            if isinstance(route, HTTPRoute)
            for method in route.methods
        }
        raw = {route.path for route in app.routes if not isinstance(route, HTTPRoute)}
        described = document_of(app)["paths"]

    assert raw == set(RAW)
    by_method = {(path, method) for path, method in routes if method != "options"}
    assert by_method | set(RAW.items()) == {
        (path, method) for path, methods in described.items() for method in methods
    }


def test_every_answer_has_a_description_and_a_schema(document: Any) -> None:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], path
            assert {"400", "401", "403", "404", "405", "500", "503"} <= set(operation["responses"])
            for status, answer in operation["responses"].items():
                assert answer["description"], (method, path, status)
                if status != "302":
                    assert all(each["schema"] for each in answer["content"].values())


def test_every_reference_in_the_description_leads_somewhere(document: Any) -> None:
    named = set(
        re.findall(r'"#/components/schemas/([^"]+)"', msgspec.json.encode(document).decode())
    )

    assert named <= set(document["components"]["schemas"])


def test_every_event_of_the_stream_has_a_schema(document: Any) -> None:
    events = document["paths"]["/api/stream"]["get"]["x-events"]

    assert set(events) == set(SCHEMAS)
    assert all(each["$ref"] for each in events.values())


def test_every_explained_failure_has_a_status() -> None:
    defined = {each for each in vars(errors).values() if isinstance(each, type)}
    failures = {each for each in defined if issubclass(each, TurnkeeperError)} - {TurnkeeperError}

    assert set(STATUS) == failures


def test_the_page_about_the_api_needs_nothing_from_elsewhere(owner: Caller, document: Any) -> None:
    answer = owner.get("/api/docs")

    page = answer.body.decode()
    assert answer.headers["content-type"].startswith("text/html")
    assert re.findall(r"(?:src|href)=\"(?!/)[^\"]*\"|https?://|<script|<style|@import", page) == []
    assert all(path in page for path in document["paths"])
    assert all(event in page for event in SCHEMAS)


# Metrics ----------------------------------------------------------------------------------------


def test_the_metrics_have_their_names_and_can_be_read(owner: Caller, session: str) -> None:
    owner.post(f"/api/agents/{session}/reconcile")

    answer = owner.get("/metrics")

    families = {each.name: each for each in text_string_to_metric_families(answer.body.decode())}
    assert set(families) >= METRICS
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    [position] = families["turnkeeper_journal_position"].samples
    assert position.value == owner.get("/api/health").json()["position"]
    [lag] = families["turnkeeper_journal_lag"].samples
    assert lag.value == 0
    facts = {each.labels.get("source") for each in families["turnkeeper_facts"].samples}
    assert "hook" in facts
    pairs = families["turnkeeper_transitions"].samples
    assert [each for each in pairs if each.labels.get("to") == "commanded"]
    assert [each for each in families["turnkeeper_reconciles"].samples if each.value > 0]


def test_open_streams_are_counted(owner: Caller) -> None:
    with owner.hear() as stream:
        next(iter(stream))
        health = owner.get("/api/health").json()

    assert health["readers"] == 1
    until(lambda: owner.get("/api/health").json()["readers"] == 0 or None, "the reader to be gone")
