"""What a person does to agents, over the API and on the command line."""

import json
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner, Result

from tests.lab.asking import Answer, Caller
from tests.lab.daemon import Daemon
from tests.lab.real_client import until
from tests.lab.served import prompt
from turnkeeper.cli.main import turnkeeper
from turnkeeper.desk.deeds import fit_name
from turnkeeper.errors import AnsweredNo, NameUnfit

DEEDS = {"rename": {"name": "Bob"}, "mute": {"muted": True}}


def do(caller: Caller, agent: str, deed: str, body: Any) -> Answer:
    return caller.post(f"/api/agents/{agent}/{deed}", json.dumps(body).encode())


def cli(daemon: Daemon, *words: str) -> Result:
    return CliRunner().invoke(turnkeeper, [*words, "--data", str(daemon.data)])


@pytest.fixture
def session(owner: Caller) -> str:
    name = str(uuid4())
    owner.post("/api/hooks/claude", prompt(name, "hello"))
    until(lambda: owner.get(f"/api/agents/{name}").status == 200 or None, "an agent")
    return name


def test_a_renamed_agent_is_called_so_everywhere(owner: Caller, session: str) -> None:
    answer = do(owner, session, "rename", {"name": " Bob's  "})

    assert answer.status == 200
    assert answer.json()["name"] == "Bob's"
    assert answer.json() == owner.get(f"/api/agents/{session}").json()
    assert answer.json() in owner.get("/api/agents").json()


def test_an_empty_name_brings_the_derived_one_back(owner: Caller, session: str) -> None:
    before = owner.get(f"/api/agents/{session}").json()
    do(owner, session, "rename", {"name": "Bob"})

    assert do(owner, session, "rename", {"name": ""}).json() == before


def test_a_muted_agent_is_muted_until_it_is_not(owner: Caller, session: str) -> None:
    before = owner.get(f"/api/agents/{session}").json()

    assert do(owner, session, "mute", {"muted": True}).json() == {**before, "muted": True}
    assert do(owner, session, "mute", {"muted": False}).json() == before


@pytest.mark.parametrize("deed", DEEDS)
def test_the_same_deed_again_writes_nothing(owner: Caller, session: str, deed: str) -> None:
    first = do(owner, session, deed, DEEDS[deed])
    position = owner.get("/api/health").json()["position"]

    assert do(owner, session, deed, DEEDS[deed]).json() == first.json()
    assert owner.get("/api/health").json()["position"] == position


def test_whoever_listens_hears_of_a_deed(owner: Caller, session: str) -> None:
    with owner.hear() as stream:
        events = iter(stream)
        next(events)
        card = do(owner, session, "rename", {"name": "Bob"}).json()
        heard = next(events)

    assert (heard.name, heard.data) == ("agent_updated", card)


@pytest.mark.parametrize("name", ["x" * 201, "two\nlines", "\x1b[2J", "\u202eBob"])
def test_a_name_that_cannot_be_shown_is_422(owner: Caller, session: str, name: str) -> None:
    answer = do(owner, session, "rename", {"name": name})

    assert answer.status == 422, answer.body
    assert answer.json()["error"] == "NameUnfit"
    assert "cannot be a name" in answer.json()["message"]
    assert "up to 200 characters" in answer.json()["hint"]


@pytest.mark.parametrize("body", [b"", b"{", b"{}", b'{"name": 1}', b'{"muted": "yes"}', b"[]"])
@pytest.mark.parametrize("deed", DEEDS)
def test_a_body_that_does_not_fit_is_400(
    owner: Caller, session: str, deed: str, body: bytes
) -> None:
    answer = owner.post(f"/api/agents/{session}/{deed}", body)

    assert answer.status == 400, answer.body
    assert answer.json()["error"] == "RequestUnreadable"


@pytest.mark.parametrize("deed", DEEDS)
def test_nobody_cannot_be_done_anything_to(owner: Caller, deed: str) -> None:
    assert do(owner, str(uuid4()), deed, DEEDS[deed]).status == 404


@pytest.mark.parametrize("deed", DEEDS)
def test_who_may_only_read_does_nothing(
    guest: Caller, stranger: Caller, session: str, deed: str
) -> None:
    before = guest.get(f"/api/agents/{session}").json()

    assert do(guest, session, deed, DEEDS[deed]).status == 403
    assert do(stranger, session, deed, DEEDS[deed]).status == 401
    assert guest.get(f"/api/agents/{session}").json() == before


# On the command line ----------------------------------------------------------------------------


def test_the_command_line_does_what_the_api_does(
    daemon: Daemon, owner: Caller, session: str
) -> None:
    renamed = cli(daemon, "rename", session, "Eve", "--json")
    muted = cli(daemon, "mute", session, "--json")

    assert json.loads(renamed.stdout)["name"] == "Eve"
    assert json.loads(muted.stdout) == owner.get(f"/api/agents/{session}").json()
    assert json.loads(muted.stdout)["muted"] is True


def test_the_command_line_says_what_it_did(daemon: Daemon, session: str) -> None:
    assert "is called Eve." in cli(daemon, "rename", session, "Eve").stdout
    assert "Eve is muted." in cli(daemon, "mute", session).stdout
    assert "Eve is not muted." in cli(daemon, "mute", session, "--off").stdout
    assert f"is called {session[:8]}." in cli(daemon, "rename", session, "").stdout


def test_a_name_that_looks_like_markup_is_shown_as_it_is(daemon: Daemon, session: str) -> None:
    cli(daemon, "rename", session, "[/red] [bold]Eve :smile:")

    assert "[/red] [bold]Eve :smile:" in cli(daemon, "show", session).stdout
    assert cli(daemon, "agents").exit_code == 0


def test_the_command_line_hands_a_refusal_on(daemon: Daemon, session: str) -> None:
    refused = cli(daemon, "rename", session, "x" * 201).exception

    assert isinstance(refused, AnsweredNo)
    assert "201 characters" in str(refused)
    assert refused.exit_code == 2


# Names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "Bob", "  Bob ", "Bob's 2nd", "数据", "👩‍👩‍👧", "é" * 200])
def test_a_name_that_can_be_shown_is_taken(name: str) -> None:
    assert fit_name(name) == name.strip()


@pytest.mark.parametrize(
    "name",
    ["a\nb", "\x1b[31mred", "\0", "tab\t", "\x9b2J", "\u202egnp", "\u2028", "\ud800", "x" * 201],
)
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    with pytest.raises(NameUnfit, match="cannot be a name"):
        fit_name(name)
