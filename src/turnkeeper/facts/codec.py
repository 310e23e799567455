"""How facts are written down, and read back."""

from typing import TypeVar

import msgspec

from turnkeeper.errors import FactUnreadable
from turnkeeper.facts.kinds import UNGIVEN, PermissionAsked, ToolStarted, Usage, What, Word

T = TypeVar("T", bound=msgspec.Struct)

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[What] = msgspec.json.Decoder(What)


def encode(what: What) -> bytes:
    """Write a word as JSON. Lone surrogates, which JSON cannot carry, become `?`-marks."""
    if isinstance(what, ToolStarted | PermissionAsked):
        what = _given(what)
    try:
        return _encoder.encode(what)
    except UnicodeEncodeError:
        return _encoder.encode(_speakable(what))
    except (TypeError, msgspec.ValidationError, ValueError) as cause:
        raise FactUnreadable(f"{type(what).__name__}: {cause}") from cause


def decode(payload: bytes | str) -> What:
    try:
        return _decoder.decode(payload)
    except (msgspec.DecodeError, ValueError, RecursionError) as cause:
        raise FactUnreadable(str(cause)) from cause


def kind_of(what: What) -> str:
    """The word as the journal spells it."""
    return str(type(what).__struct_config__.tag)


def speakable(text: str) -> str:
    """Replace what UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode()


def _speakable(what: T) -> T:
    fields = {name: getattr(what, name) for name in what.__struct_fields__}
    said = {name: speakable(value) for name, value in fields.items() if type(value) is str}
    counted = {name: _speakable(value) for name, value in fields.items() if type(value) is Usage}
    return msgspec.structs.replace(what, **said, **counted)


def _given(what: What) -> What:
    """Leave out JSON that nobody gave: an empty `Raw` is no JSON, and only the default itself,
    not one like it, is left out when a word is written."""
    names = (name for name in ("input", "suggestions") if hasattr(what, name))
    blank = {name: UNGIVEN for name in names if getattr(what, name) == UNGIVEN}
    return msgspec.structs.replace(what, **blank) if blank else what


KINDS: tuple[str, ...] = tuple(str(word.__struct_config__.tag) for word in Word.__subclasses__())
