"""Options that several verbs share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def data_option(function: F) -> F:
    return click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        help="The data folder (default: TURNKEEPER_DATA, else the platform's place).",
    )(function)


def claude_option(function: F) -> F:
    return click.option(
        "--claude-dir",
        "claude_dirs",
        type=click.Path(path_type=Path, file_okay=False),
        multiple=True,
        help="A client's folder, repeatable (default: CLAUDE_CONFIG_DIR, else ~/.claude).",
    )(function)


def json_option(function: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="JSON, for scripts.")(function)
