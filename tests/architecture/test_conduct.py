"""How tests behave: in a home that is nobody's, and with their waiting told at the end."""

import os
import tempfile
from pathlib import Path

from tests.conftest import waited


def test_tests_never_see_the_home_of_a_person() -> None:
    home = Path(os.environ["HOME"])

    assert home.is_relative_to(tempfile.gettempdir())
    assert Path.home() == home
    assert Path(os.environ["CLAUDE_CONFIG_DIR"]).is_relative_to(home)
    assert Path(os.environ["TURNKEEPER_DATA"]).is_relative_to(home)


def test_tests_never_see_the_session_they_were_started_from() -> None:
    foreign = [name for name in os.environ if name.startswith(("CLAUDE_CODE_", "ANTHROPIC_"))]

    assert foreign == []
    assert "CLAUDECODE" not in os.environ


def test_waiting_is_told_as_median_and_maximum() -> None:
    table = [line.split() for line in waited({"registry": [0.1, 0.3, 0.2], "hook": [0.05]})]

    assert table[1:] == [["hook", "1", "50", "50"], ["registry", "3", "200", "300"]]


def test_nothing_is_told_where_nobody_waited() -> None:
    assert list(waited({})) == []
