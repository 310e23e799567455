"""The list of agents in a terminal: no line is wider than there is room."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from turnkeeper.cli.roster import _cut

LINES = st.lists(st.text(st.sampled_from("aß好🦆 …"), max_size=12), max_size=5)


def text_of(line: list[str], width: int | None) -> str:
    return "".join(text for text, _ in _cut([(text, Style()) for text in line], width))


@given(LINES, st.integers(1, 40))
def test_what_is_cut_fits_and_says_so(line: list[str], width: int) -> None:
    whole, shown = "".join(line), text_of(line, width)

    assert cell_len(shown) <= width
    assert shown == whole or shown.endswith("…")
    assert (shown == whole) == (cell_len(whole) <= width)


@given(LINES)
def test_where_nobody_looks_nothing_is_cut(line: list[str]) -> None:
    assert text_of(line, None) == "".join(line)
