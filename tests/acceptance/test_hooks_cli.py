"""`turnkeeper hooks` on a person's settings file: it comes, it says what is there, it leaves."""

import json
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import settings as examined
from hypothesis import strategies as st

from turnkeeper.cli.hooks import hooks, report
from turnkeeper.errors import (
    CommandRefused,
    FolderUnusable,
    SettingsUnreadable,
)
from turnkeeper.facts.fact import Moment
from turnkeeper.sources.claude_hook_commands import EVENTS, MARK, entries
from turnkeeper.sources.claude_settings_file import Content, install, rewrite, uninstall
from turnkeeper.sources.claude_version import client_version

MINE = """{
    "model": "opus",
    "permissions": {"allow": ["Bash(ls:*)"], "n": 1.50},
    "hooks": {
        "Stop": [
            {"matcher": "", "hooks": [{"type": "command", "command": "say \\u0064one"}]}
        ],
        "Setup": []
    }
}"""


@dataclass(frozen=True)
class Home:
    """A throwaway home; nothing in these tests looks at the real one."""

    folder: Path

    @property
    def claude(self) -> Path:
        return self.folder / ".claude"

    @property
    def settings(self) -> Path:
        return self.claude / "settings.json"

    @property
    def data(self) -> Path:
        return self.folder / "turnkeeper data"

    def holds(self, text: str) -> None:
        self.claude.mkdir(exist_ok=True)
        self.settings.write_bytes(text.encode())

    def ran(self, version: str, *, at: int) -> None:
        """Leave a registry file as a client of this version would."""
        sessions = self.claude / "sessions"
        sessions.mkdir(parents=True, exist_ok=True)
        entry = sessions / f"{at}.json"
        entry.write_text(json.dumps({"pid": at, "version": version}))
        os.utime(entry, (at, at))

    def hooks(self, *words: str) -> Result:
        env = {
            "HOME": str(self.folder),
            "PATH": str(self.folder / "bin"),
            "CLAUDE_CONFIG_DIR": str(self.claude),
            "TURNKEEPER_DATA": str(self.data),
        }
        return CliRunner(env=env).invoke(hooks, words)

    def files(self) -> set[Path]:
        return set(self.folder.rglob("*"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def said(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.output


def test_installing_adds_our_entries_and_leaves_every_other_one(home: Home) -> None:
    home.holds(MINE)

    said(home.hooks("install"))

    after = json.loads(home.settings.read_text())
    before = json.loads(MINE)
    for event, listed in after["hooks"].items():
        assert [e for e in listed if MARK not in e] == before["hooks"].get(event, [])
    assert {event for event, listed in after["hooks"].items() if listed} == set(EVENTS)
    assert {**after, "hooks": {}} == {**before, "hooks": {}}


def test_leaving_restores_the_file_byte_for_byte(home: Home) -> None:
    home.holds(MINE)

    said(home.hooks("install"))
    told = said(home.hooks("uninstall"))

    assert home.settings.read_bytes() == MINE.encode()
    assert "byte for byte" in told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "{}",
        "{ }",
        "{\n}\n",
        '\ufeff{"hooks": {"Stop": [ ], "Setup": []}}',
        '{"a":1}\r\n',
    ],
)
def test_leaving_restores_odd_files_too(home: Home, text: str) -> None:
    home.holds(text)

    said(home.hooks("install"))
    said(home.hooks("uninstall"))

    assert home.settings.read_bytes() == text.encode()


@examined(max_examples=25, deadline=None)
@given(
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3),
    st.dictionaries(st.sampled_from(EVENTS), st.lists(st.just({"hooks": []}), max_size=2)),
    st.sampled_from([None, 0, 2, "\t"]),
)
def test_any_settings_survive_coming_updating_and_leaving(
    tmp_path_factory: pytest.TempPathFactory,
    others: dict[str, object],
    listed: dict[str, object],
    indent: int | str | None,
) -> None:
    home = Home(tmp_path_factory.mktemp("home"))
    home.holds(json.dumps({**others, "hooks": listed}, indent=indent))
    original = home.settings.read_bytes()

    install(home.settings, entries(home.data, "2.0.50"), home.data)
    install(home.settings, entries(home.data), home.data)
    uninstall(home.settings, home.data)

    assert home.settings.read_bytes() == original


def test_installing_twice_changes_nothing(home: Home) -> None:
    home.holds(MINE)
    said(home.hooks("install"))
    once, when = home.settings.read_bytes(), home.settings.stat().st_mtime_ns

    told = said(home.hooks("install"))

    assert "nothing changed" in told
    assert (home.settings.read_bytes(), home.settings.stat().st_mtime_ns) == (once, when)


def test_leaving_after_someone_else_wrote_takes_only_our_entries(home: Home) -> None:
    home.holds(MINE)
    said(home.hooks("install"))
    edited = home.settings.read_text().replace('"opus"', '"sonnet"')
    home.settings.write_text(edited)

    told = said(home.hooks("uninstall"))

    assert home.settings.read_text() == MINE.replace('"opus"', '"sonnet"')
    assert "left as it is" in told


def test_leaving_works_when_our_memory_is_lost(home: Home) -> None:
    home.holds(MINE)
    said(home.hooks("install"))
    for file in (home.data / "hooks").iterdir():
        file.unlink()

    said(home.hooks("uninstall"))

    assert home.settings.read_text() == MINE


def test_a_damaged_backup_is_not_restored(home: Home) -> None:
    home.holds(MINE)
    said(home.hooks("install"))
    backup = next((home.data / "hooks").glob("*.settings.json"))
    backup.write_text("{}")

    said(home.hooks("uninstall"))

    assert home.settings.read_text() == MINE


def test_leaving_where_we_never_came_changes_nothing(home: Home) -> None:
    home.holds(MINE)

    assert "nothing changed" in said(home.hooks("uninstall"))

    assert home.settings.read_text() == MINE


def test_a_missing_file_is_made_and_removed_again(home: Home) -> None:
    told = said(home.hooks("install"))
    made = json.loads(home.settings.read_text())
    left = said(home.hooks("uninstall"))

    assert set(made) == {"hooks"}
    assert "no client found" in told
    assert "did not exist before" in left
    assert not home.settings.exists()


def test_a_made_file_that_gained_settings_is_not_removed(home: Home) -> None:
    said(home.hooks("install"))
    document = json.loads(home.settings.read_text())
    home.settings.write_text(json.dumps({"model": "opus", **document}, indent=2))

    said(home.hooks("uninstall"))

    assert json.loads(home.settings.read_text()) == {"model": "opus"}


def test_a_linked_file_is_written_where_it_lives_and_stays_a_link(home: Home) -> None:
    home.holds(MINE)
    real = home.folder / "dotfiles.json"
    home.settings.rename(real)
    home.settings.symlink_to(real)

    said(home.hooks("install"))
    inside = json.loads(real.read_text())
    said(home.hooks("uninstall"))

    assert MARK in inside["hooks"]["SessionStart"][0]
    assert home.settings.is_symlink()
    assert real.read_text() == MINE


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_mode_and_owner_stay(home: Home, mode: int) -> None:
    home.holds(MINE)
    if os.geteuid() == 0:
        os.chown(home.settings, 65534, 65534)
    home.settings.chmod(mode)
    owner = home.settings.stat().st_uid

    said(home.hooks("install"))

    after = home.settings.stat()
    assert (stat.S_IMODE(after.st_mode), after.st_uid) == (mode, owner)


def test_the_spool_and_the_backup_are_private(home: Home) -> None:
    home.holds(MINE)

    said(home.hooks("install"))

    assert stat.S_IMODE((home.data / "spool").stat().st_mode) == 0o700
    backup = next((home.data / "hooks").glob("*.settings.json"))
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert backup.read_text() == MINE


def test_nothing_but_the_settings_is_left_in_the_clients_folder(home: Home) -> None:
    home.holds(MINE)

    said(home.hooks("install"))

    assert list(home.claude.iterdir()) == [home.settings]


def test_a_dry_run_shows_the_change_and_makes_none(home: Home) -> None:
    home.holds(MINE)
    before = home.files()

    shown = said(home.hooks("install", "--dry-run"))

    assert f"+++ {home.settings}" in shown
    assert '+        "SessionStart": [' in shown
    assert (home.files(), home.settings.read_text()) == (before, MINE)


def test_a_dry_run_of_leaving_shows_the_change_and_makes_none(home: Home) -> None:
    said(home.hooks("install"))
    before = home.settings.read_bytes()

    shown = said(home.hooks("uninstall", "--dry-run"))

    assert "+++ /dev/null" in shown
    assert home.settings.read_bytes() == before


@pytest.mark.parametrize("verb", ["install", "uninstall", "status"])
@pytest.mark.parametrize(
    "text",
    ['{"a": 1,}', "{", "[]", '"x"', '{"hooks": 3}', "// mine\n{}", '{"a": 1} trailing', "\x00"],
)
def test_a_broken_file_is_refused_with_a_sentence_and_left_alone(
    home: Home, verb: str, text: str
) -> None:
    home.holds(text)

    refused = home.hooks(verb)

    assert isinstance(refused.exception, SettingsUnreadable)
    assert str(home.settings) in str(refused.exception)
    assert home.settings.read_text() == text


def test_a_file_that_is_not_utf8_is_refused(home: Home) -> None:
    home.holds("")
    home.settings.write_bytes('{"a": "é"}'.encode("latin-1"))

    refused = home.hooks("install")

    assert isinstance(refused.exception, SettingsUnreadable)
    assert "byte 7 is not UTF-8" in str(refused.exception)


def test_a_read_only_file_is_refused(home: Home) -> None:
    home.holds(MINE)
    home.settings.chmod(0o444)

    refused = home.hooks("install")

    assert isinstance(refused.exception, SettingsUnreadable)
    assert "read-only" in str(refused.exception)
    assert home.settings.read_text() == MINE


def test_a_folder_in_place_of_the_file_is_refused(home: Home) -> None:
    home.settings.mkdir(parents=True)

    assert isinstance(home.hooks("install").exception, SettingsUnreadable)


def test_a_link_that_leads_to_itself_is_refused(home: Home) -> None:
    home.claude.mkdir()
    home.settings.symlink_to(home.settings)

    assert isinstance(home.hooks("install").exception, SettingsUnreadable)


def test_a_data_folder_that_cannot_be_made_is_refused_before_anything_changes(home: Home) -> None:
    home.holds(MINE)
    home.data.touch()

    refused = home.hooks("install", "--data", str(home.data / "below"))

    assert isinstance(refused.exception, FolderUnusable)
    assert home.settings.read_text() == MINE


def then_someone_writes(
    file: Path, texts: list[bytes], plan: Callable[[Content], Content]
) -> Callable[[Content], Content]:
    """A plan during which another program writes to the file, once for each text."""

    def interrupted(before: Content) -> Content:
        after = plan(before)
        if texts:
            file.write_bytes(texts.pop(0))
        return after

    return interrupted


def test_a_change_made_between_reading_and_writing_is_not_lost(home: Home) -> None:
    home.holds("first")
    plan = then_someone_writes(home.settings, [b"second"], lambda before: (before or b"") + b"+us")

    change = rewrite(home.settings, plan)

    assert change.before == b"second"
    assert home.settings.read_bytes() == b"second+us"


def test_a_file_that_keeps_changing_is_given_up_on(home: Home) -> None:
    home.holds("0")
    texts = [str(n).encode() for n in range(1, 50)]

    with pytest.raises(CommandRefused):
        rewrite(home.settings, then_someone_writes(home.settings, texts, lambda before: b"us"))

    assert home.settings.read_bytes().isdigit()
    assert list(home.claude.iterdir()) == [home.settings]


def test_the_client_that_ran_last_decides_which_events_are_installed(home: Home) -> None:
    home.holds("{}")
    home.ran("2.1.325", at=100)
    home.ran("2.1.77 (Claude Code)", at=200)
    (home.claude / "sessions" / "300.json").write_text('{"version": "2.')

    told = said(home.hooks("install"))

    assert "Claude Code 2.1.77" in told
    assert "does not know StopFailure and CwdChanged" in told
    assert "CwdChanged" not in json.loads(home.settings.read_text())["hooks"]


def test_without_a_registry_the_client_on_the_path_is_asked(home: Home) -> None:
    client = home.folder / "bin" / "claude"
    client.parent.mkdir()
    client.write_text("#!/bin/sh\necho '2.1.44 (Claude Code)'\n")
    client.chmod(0o755)

    assert client_version(home.claude, search_path=str(client.parent)) == "2.1.44"
    assert client_version(home.claude, search_path=str(home.claude)) is None


def test_an_update_of_the_client_makes_the_hooks_outdated_until_they_are_installed_again(
    home: Home,
) -> None:
    home.ran("2.1.14", at=100)
    said(home.hooks("install"))
    home.ran("2.1.325", at=200)

    between = states(home)
    said(home.hooks("install"))

    assert between["PreToolUse"] == "outdated"
    assert between["CwdChanged"] == "missing"
    assert between["Stop"] == "installed"
    assert set(states(home).values()) == {"installed"}


def states(home: Home) -> dict[str, str]:
    document = json.loads(said(home.hooks("status", "--json")))
    return {row["event"]: row["state"] for row in document["events"]}


def test_hooks_of_another_data_folder_are_outdated(home: Home) -> None:
    said(home.hooks("install", "--data", str(home.folder / "other")))

    assert set(states(home).values()) == {"outdated"}


def test_status_says_what_is_missing_and_what_to_do(home: Home) -> None:
    home.holds(MINE)

    told = said(home.hooks("status"))

    assert "missing" in told
    assert "Next: `turnkeeper hooks install`" in told


def test_status_says_when_each_event_was_last_heard(home: Home) -> None:
    said(home.hooks("install"))
    (home.data / "hooks" / "heard.json").write_text('{"Stop": 1794792814730000, "odd": "x"}')

    told = said(home.hooks("status"))
    document = json.loads(said(home.hooks("status", "--json")))

    heard = {row["event"]: row["last_heard"] for row in document["events"]}
    assert heard["Stop"] == "2026-11-16T01:33:34+00:00"
    assert heard["SessionStart"] is None
    assert "2026-11-16T01:33:34" in told
    assert document["complete"] is True


def test_what_was_heard_may_come_from_elsewhere(home: Home) -> None:
    told = report(home.data, home.claude, last_heard={"Stop": Moment(0)})

    assert {row.event for row in told.events if row.last_heard} == {"Stop"}


@pytest.mark.parametrize("verb", ["install", "status"])
def test_disabled_hooks_are_pointed_out(home: Home, verb: str) -> None:
    home.holds('{"disableAllHooks": true}')

    assert "disableAllHooks is set" in said(home.hooks(verb))


def test_status_changes_nothing(home: Home) -> None:
    home.holds(MINE)
    before = home.files()

    said(home.hooks("status"))
    said(home.hooks("status", "--json"))

    assert home.files() == before
