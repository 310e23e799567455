"""A test that lacks something says so, and nothing may be lacking where CI is true."""

import pytest

from tests.lab.needs import need_program

HOW = "apt-get install no-such-program"


def test_a_program_that_is_there_is_no_obstacle() -> None:
    need_program("sh", HOW)


def test_a_missing_program_skips_the_test_and_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CI", raising=False)

    with pytest.raises(pytest.skip.Exception, match=HOW):
        need_program("no-such-program", HOW)


def test_a_missing_program_fails_the_test_where_ci_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")

    with pytest.raises(pytest.fail.Exception, match=HOW):
        need_program("no-such-program", HOW)
