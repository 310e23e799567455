"""How an observation is named, so that hearing it again adds nothing."""

from base64 import urlsafe_b64encode
from hashlib import blake2b


def digest(*parts: str | bytes) -> str:
    """Name these parts in 22 characters. Parts are kept apart: ("ab", "c") is not ("a", "bc")."""
    state = blake2b(digest_size=16)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(raw).to_bytes(8, "big"))
        state.update(raw)
    return urlsafe_b64encode(state.digest()).rstrip(b"=").decode()


def content_hash(text: str) -> str:
    """Name a text as a reader would: white space at the edges and its length do not count."""
    return digest(" ".join(text.split()))


def entry_key(session: str, uuid: str, part: int = 0) -> str:
    """Name one part of a transcript line. Forks keep uuids, so the session belongs to the name;
    a line without a uuid is named by its hash and how often it was written before."""
    return f"e:{digest(session, uuid, str(part))}"


def spool_key(file: str, offset: int, part: int = 0) -> str:
    """Name one part of a spooled payload by the unique name its file was taken under."""
    return f"s:{digest(file, str(offset), str(part))}"
