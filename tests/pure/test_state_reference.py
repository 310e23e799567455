"""The reference of the state machines is made from code, and is fresh."""

import json

from click.testing import CliRunner

from tools.state_reference import PAGE, diagram, page
from turnkeeper.cli.machines import machines
from turnkeeper.machines.catalogue import CATALOGUE


def test_the_reference_says_what_the_code_says() -> None:
    written = PAGE.read_text(encoding="utf-8")

    assert written == page(), "stale: run `python tools/state_reference.py`"


def test_the_reference_holds_every_row() -> None:
    written = page()

    for listing in CATALOGUE:
        assert all(f"| {r.source} | `{r.event}` | {r.target} |" in written for r in listing.rows)


def test_every_machine_has_a_diagram_that_begins_at_its_beginning() -> None:
    for listing in CATALOGUE:
        drawn = list(diagram(listing))
        assert drawn[:3] == ["```mermaid", "stateDiagram-v2", f"    [*] --> {listing.initial}"]


def test_the_seeds_names_can_be_looked_up() -> None:
    written = page()

    for name in ("turn_detected", "tool_start", "tool_call", "mark_stopped", "retry"):
        assert f"`{name}`" in written


def test_every_alias_stands_for_an_event_of_its_machine() -> None:
    for listing in CATALOGUE:
        events = {row.event for row in listing.rows}
        assert all(set(meant) <= events for meant in listing.aliases.values())


def test_the_verb_prints_every_machine_for_programs() -> None:
    result = CliRunner().invoke(machines, ["--json"])

    listed = json.loads(result.stdout)
    assert [machine["name"] for machine in listed] == ["command", "session", "project", "seat"]
    assert [len(machine["states"]) for machine in listed] == [5, 7, 8, 5]
    assert listed[0]["rows"][0] == {
        "from": "idle",
        "event": "user_command",
        "to": "commanded",
        "extension": False,
    }


def test_the_verb_prints_tables_for_people_and_names_the_extensions() -> None:
    result = CliRunner().invoke(machines, [])

    assert result.exit_code == 0
    assert "tool_start_ask_user_question" in result.stdout
    line = next(line for line in result.stdout.splitlines() if "turn_complete_alone" in line)
    assert line.split() == ["active", "turn_complete_alone", "idle", "extension"]
