"""How facts are written down, and read back."""

import msgspec

from turnkeeper.errors import FactUnreadable
from turnkeeper.facts.kinds import What, Word

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(What)


def encode(what: What) -> bytes:
    """Write a word as JSON. Lone surrogates, which JSON cannot carry, become `?`-marks."""
    try:
        return _encoder.encode(what)
    except UnicodeEncodeError:
        return _encoder.encode(_speakable(what))
    except (TypeError, msgspec.ValidationError, ValueError) as cause:
        raise FactUnreadable(f"{type(what).__name__}: {cause}") from cause


def decode(payload: bytes | str) -> What:
    try:
        return _decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as cause:
        raise FactUnreadable(str(cause)) from cause


def kind_of(what: What) -> str:
    """The word as the journal spells it."""
    return str(type(what).__struct_config__.tag)


def speakable(text: str) -> str:
    """Replace what UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode()


def _speakable(what: What) -> What:
    fields = {name: getattr(what, name) for name in what.__struct_fields__}
    said = {name: speakable(value) for name, value in fields.items() if type(value) is str}
    return msgspec.structs.replace(what, **said)


KINDS: tuple[str, ...] = tuple(str(word.__struct_config__.tag) for word in Word.__subclasses__())
