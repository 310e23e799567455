"""A card tells all that is known of an agent, and its menu does what it says."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.lab import panes
from tests.lab.daemon import Daemon
from tests.lab.hooked import Client
from tests.lab.needs import need_program
from tests.lab.puppets import puppets
from tests.lab.real_client import until
from tests.page.conftest import Opens, Starts, watching
from turnkeeper.scripted.body import Role
from turnkeeper.scripted.stage import throwaway
from turnkeeper.scripted.steps import Prompt, Say
from turnkeeper.scripted.stories import bash


def card(page: Page, words: str) -> Locator:
    return page.locator("li.card").filter(has_text=words)


def choose(page: Page, words: str, entry: str) -> None:
    """Open the menu of the card with these words, and press an entry."""
    card(page, words).get_by_role("button", name="Actions for").click()
    page.get_by_role("menuitem", name=entry).click()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that watches one agent at work."""
    place = throwaway(tmp_path)
    with watching(place) as daemon, puppets(place) as played:
        agent = played.enter(Role(tmp_path / "shop", branch="feature/tax"))
        played.play(agent, Prompt("Update all."), Say("I look first."), bash("uv lock", None))
        yield daemon


def test_a_card_tells_what_its_agent_does_where_and_for_how_long(
    shop: Daemon, opens: Opens
) -> None:
    here = card(opens(shop), "Update all.")

    expect(here).to_contain_text("running")
    expect(here).to_contain_text(re.compile(r"for\s+\d+ s"))
    expect(here.get_by_title("Uses Bash")).to_be_visible()
    expect(here).to_contain_text("I look first.")
    expect(here.get_by_title("branch feature/tax")).to_have_text("feature/tax")
    expect(here.get_by_title(f"on {socket.gethostname()}")).to_be_attached()
    expect(here.get_by_title("tokens of context")).to_contain_text(re.compile(r"\d+ %"))


def test_a_new_name_is_told_in_every_window(desk: Daemon, opens: Opens, starts: Starts) -> None:
    starts("Name me")
    page, other = opens(desk), opens(desk)
    choose(page, "Name me", "Rename")
    page.get_by_role("textbox", name="What this agent is called").fill("tax by country")
    page.keyboard.press("Enter")

    expect(card(page, "Name me").locator("h3")).to_have_text("tax by country")
    expect(card(other, "Name me").locator("h3")).to_have_text("tax by country")


def test_an_agent_is_muted_and_heard_again(desk: Daemon, opens: Opens, starts: Starts) -> None:
    starts("Too loud")
    page = opens(desk)
    choose(page, "Too loud", "Mute")
    expect(card(page, "Too loud").get_by_title("Muted")).to_be_visible()
    choose(page, "Too loud", "Unmute")

    expect(card(page, "Too loud").get_by_title("Muted")).to_have_count(0)


@pytest.mark.parametrize(
    ("entry", "copied"),
    [("Copy resume command", "claude --resume {}"), ("Copy session id", "{}")],
)
def test_what_is_copied_can_be_pasted(
    desk: Daemon, opens: Opens, starts: Starts, entry: str, copied: str
) -> None:
    client = starts("Copy me")
    page = opens(desk)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(page, "Copy me", entry)
    expect(page.get_by_text(re.compile("copied"))).to_be_visible()

    assert page.evaluate("navigator.clipboard.readText()") == copied.format(client.session)


def test_closed_agents_are_hidden_and_shown_again(desk: Daemon, opens: Opens) -> None:
    Client(desk, "Nearly done").ends()
    page = opens(desk)
    page.get_by_role("button", name="History").click()
    history = page.get_by_role("region", name="History")
    history.get_by_role("button", name="Actions for").first.click()
    page.get_by_role("menuitem", name="Hide closed agents").click()
    expect(history).to_have_count(0)
    page.reload()
    expect(page.get_by_text(re.compile("closed agents? hidden"))).to_be_visible()
    page.get_by_role("button", name="Show", exact=True).click()

    expect(history).to_be_visible()


# Interrupting ------------------------------------------------------------------------------------


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[panes.Server]:
    need_program("tmux", "apt-get install tmux")
    server = panes.Server()
    monkeypatch.setenv("TMUX_TMPDIR", str(server.folder))
    yield server
    server.close()


@pytest.fixture
def beside(terminal: panes.Server, tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that reaches the terminal."""
    with watching(throwaway(tmp_path)) as daemon:
        yield daemon


def test_a_running_agent_is_interrupted_in_its_terminal(
    tmp_path: Path, terminal: panes.Server, beside: Daemon, opens: Opens
) -> None:
    client = panes.Client(beside.claude_dir, tmp_path / "project").sits(terminal).says("busy")
    page = opens(beside)
    expect(card(page, "project")).to_contain_text("running")
    choose(page, "project", "Interrupt")

    expect(page.get_by_text("Interrupt sent to")).to_be_visible()
    until(lambda: client.keys or None, "a key")
    assert client.keys == b"\x1b"


def test_who_cannot_be_interrupted_is_told_with_the_reason(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    starts("No terminal")
    page = opens(desk)
    choose(page, "No terminal", "Interrupt")

    expect(page.get_by_text(re.compile("Not interrupted: .*terminal"))).to_be_visible()


def test_who_rests_is_not_offered_to_be_interrupted(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    starts("Rest a while").says("I am at rest.")
    page = opens(desk)
    expect(card(page, "I am at rest.")).to_contain_text("idle")
    card(page, "I am at rest.").get_by_role("button", name="Actions for").click()
    entry = page.get_by_role("menuitem", name="Interrupt")

    expect(entry).to_be_disabled()
    expect(entry).to_have_attribute("title", "Only a running agent can be interrupted")


# Forks -------------------------------------------------------------------------------------------


def test_forks_fold_under_what_they_were_made_of(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    origin, fork = starts("Begin here"), starts("Try another way")
    page = opens(desk)
    expect(card(page, "Try another way")).to_be_visible()
    tell_of_fork(desk, origin.session, fork.session)
    here = card(page, "Begin here")
    here.get_by_role("button", name="1 fork").click()

    told = here.get_by_role("listitem").filter(has=page.get_by_role("link"))
    expect(told).to_contain_text("running")
    told.get_by_role("link").click()
    expect(page).to_have_url(re.compile(rf"#/agents/{fork.agent}$"))


def tell_of_fork(desk: Daemon, origin: str, fork: str) -> None:
    """A line as a client writes it into the transcript of a fork."""
    folder = desk.claude_dir / "projects" / "-home-ada-shop"
    folder.mkdir(parents=True, exist_ok=True)
    line = {
        "type": "user",
        "uuid": str(uuid4()),
        "sessionId": fork,
        "session_id": origin,
        "cwd": "/home/ada/shop",
        "timestamp": "2026-11-16T12:00:00.000Z",
        "message": {"role": "user", "content": "Begin here"},
    }
    (folder / f"{fork}.jsonl").write_text(json.dumps(line) + "\n")
