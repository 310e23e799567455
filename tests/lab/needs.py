"""What a test needs of the machine it runs on."""

import os
import shutil

import pytest


def need_program(name: str, install: str) -> None:
    """Go on if the program is there. Else skip, and say how to get it; where CI is true, fail."""
    if shutil.which(name):
        return
    reason = f"{name} is missing; get it with: {install}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
