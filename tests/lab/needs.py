"""What a test needs of the machine it runs on."""

import os
import shutil
from typing import NoReturn

import pytest


def need_program(name: str, install: str) -> None:
    """Go on if the program is there; else do without this test, and say how to get it."""
    if shutil.which(name) is None:
        do_without(name, install)


def do_without(what: str, install: str) -> NoReturn:
    """Skip this test for want of something. Where CI is true nothing may be wanting: fail."""
    reason = f"{what} is missing; get it with: {install}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
