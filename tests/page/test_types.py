"""What the page knows of the API is what the API says of itself."""

from tools.api_reference import description
from tools.page import TYPES, types


def test_the_types_are_made_from_the_description() -> None:
    assert TYPES.read_text(encoding="utf-8") == types(description()), "run `make page-types`"
