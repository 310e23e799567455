"""The page is served to everybody, whole; a checkout without it says how to make it."""

import re
from pathlib import Path
from typing import Final

from litestar import Litestar
from litestar.testing import TestClient

from tests.lab.asking import Caller
from tests.lab.daemon import Daemon, run_turnkeeper
from tools.page import BUDGET, weigh
from turnkeeper.surfaces.http.shell import FOREVER, KINDS, PAGE, page_of

BUILT: Final = "<!doctype html><title>Turnkeeper</title>"


def built_in(folder: Path) -> Path:
    """A page as the build leaves it, small."""
    (folder / "assets").mkdir()
    (folder / "index.html").write_text(BUILT)
    (folder / "assets" / "index-abc.js").write_text("let here = 1;")
    (folder / "assets" / "notes.txt").write_text("not of the page")
    return folder


def asked(folder: Path) -> TestClient[Litestar]:
    return TestClient(Litestar(page_of(folder)))


def test_the_shell_and_its_parts_need_no_cookie(stranger: Caller) -> None:
    shell = stranger.get("/")
    parts = re.findall(r'"(/assets/[^"]+)"', shell.body.decode())

    assert shell.status == 200
    assert len(parts) >= 3
    for part in parts:
        answer = stranger.get(part)
        assert answer.status == 200, part
        assert answer.headers["content-type"].partition(";")[0] == KINDS[Path(part).suffix]
        assert answer.headers["cache-control"] == FOREVER
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_shell_holds_no_script_or_style_of_its_own(stranger: Caller) -> None:
    shell = stranger.get("/").body.decode()

    assert re.findall(r"<script(?![^>]*src=)|<style|style=|\bon\w+=", shell) == []


def test_the_page_names_nothing_elsewhere(stranger: Caller) -> None:
    shell = stranger.get("/").body.decode()

    assert re.findall(r"(?:https?:)?//[a-z]", shell) == []


def test_a_part_that_is_not_there_is_404(stranger: Caller) -> None:
    answer = stranger.get("/assets/index-none.js")

    assert answer.status == 404
    assert answer.json()["error"] == "NotFound"


def test_the_page_keeps_within_its_budget() -> None:
    assert 0 < weigh(PAGE) <= BUDGET


def test_a_page_built_while_we_run_is_served(tmp_path: Path) -> None:
    with asked(tmp_path) as caller:
        before = caller.get("/").text
        built_in(tmp_path)

        assert "make page" in before
        assert caller.get("/").text == BUILT
        assert caller.get("/assets/index-abc.js").text == "let here = 1;"


def test_only_what_a_page_is_made_of_is_served(tmp_path: Path) -> None:
    with asked(built_in(tmp_path)) as caller:
        assert caller.get("/assets/notes.txt").status_code == 404


def test_the_verb_link_lets_a_browser_in(daemon: Daemon, stranger: Caller) -> None:
    said = run_turnkeeper("link", "--data", str(daemon.data)).stdout.strip()

    answer = stranger.get(said.removeprefix(daemon.url))
    assert answer.status == 302
    assert "turnkeeper-" in answer.headers["set-cookie"]
