"""The vocabulary, how it is named, and how it is written down."""

from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.errors import FactUnreadable
from turnkeeper.facts.codec import KINDS, decode, encode, kind_of
from turnkeeper.facts.identity import content_hash, digest, entry_key, spool_key
from turnkeeper.facts.kinds import (
    AgentSpoke,
    PermissionAsked,
    PromptSubmitted,
    ToolStarted,
    Usage,
    What,
    Word,
)

WORDS: tuple[type[Word], ...] = get_args(What)

texts = st.text(max_size=20)
whole = st.integers(-(2**63), 2**63 - 1)
st.register_type_strategy(str, texts)
st.register_type_strategy(int, whole)
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
st.register_type_strategy(
    msgspec.Raw,
    st.sampled_from([b"", b"{}", b'{"command":"ls"}', b"[1,null]"]).map(msgspec.Raw),
)


def any_of(word: type[msgspec.Struct]) -> st.SearchStrategy[msgspec.Struct]:
    fields = {field.name: st.from_type(field.type) for field in msgspec.structs.fields(word)}
    return st.builds(word, **fields)


st.register_type_strategy(Usage, any_of(Usage))


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.__name__)
def test_whatever_was_written_is_read_back_the_same(word: type[Word]) -> None:
    @settings(max_examples=3, deadline=None)
    @given(any_of(word))
    def holds(what: What) -> None:
        assert decode(encode(what)) == what

    holds()


def test_every_word_is_in_the_union_and_has_a_spelling_of_its_own() -> None:
    assert set(Word.__subclasses__()) == set(WORDS)
    assert len(set(KINDS)) == len(WORDS)
    assert kind_of(PromptSubmitted("hello")) == "prompt_submitted"


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.__name__)
def test_what_has_been_said_cannot_be_changed(word: type[Word]) -> None:
    assert word.__struct_config__.frozen


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"null",
        b"\xff",
        b'{"kind":"teleported"}',
        b'{"text":"no kind"}',
        b'{"kind":"prompt_submitted"}',
        b'{"kind":"prompt_submitted","text":1}',
        b'{"kind":"tool_started","tool":"","call":"","input":' + b"[" * 5000 + b"]" * 5000 + b"}",
        "\ud800",
    ],
    ids=lambda payload: repr(payload[:30]),
)
def test_what_is_no_fact_is_explained(payload: bytes | str) -> None:
    with pytest.raises(FactUnreadable):
        decode(payload)


def test_a_field_a_newer_version_added_is_passed_over() -> None:
    assert decode(b'{"kind":"prompt_submitted","text":"hi","mood":"good"}') == PromptSubmitted("hi")


def test_nul_survives_and_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert decode(encode(PromptSubmitted("a\0b"))) == PromptSubmitted("a\0b")
    assert decode(encode(PromptSubmitted("a\ud83db"))) == PromptSubmitted("a?b")


def test_half_a_surrogate_pair_inside_a_usage_is_no_failure_either() -> None:
    spoken = AgentSpoke("hi", usage=Usage("msg\ud83d"))

    assert decode(encode(spoken)) == AgentSpoke("hi", usage=Usage("msg?"))


@pytest.mark.parametrize("nothing", [msgspec.Raw(b""), msgspec.Raw()])
def test_json_that_nobody_gave_is_left_out_whoever_left_it_empty(nothing: msgspec.Raw) -> None:
    asked = PermissionAsked("Bash", input=nothing, suggestions=nothing)
    begun = ToolStarted("Bash", "call-1", input=nothing)

    assert decode(encode(asked)) == PermissionAsked("Bash")
    assert decode(encode(begun)) == ToolStarted("Bash", "call-1")


def test_ten_megabytes_are_a_text_like_any_other() -> None:
    long = PromptSubmitted("é" * 5_000_000)

    assert decode(encode(long)) == long


# Names ----------------------------------------------------------------------------------------


def test_a_digest_keeps_its_parts_apart() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("a", "") != digest("a")
    assert len(digest("a")) == 22


@settings(max_examples=10, deadline=None)
@given(st.lists(texts, max_size=3), st.lists(texts, max_size=3))
def test_only_equal_parts_have_equal_digests(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) is (one == other)


def test_a_digest_can_be_made_of_any_text_and_any_bytes() -> None:
    assert digest("\ud800\0") != digest("?\0")
    assert digest(b"\xff") != digest("\xff")
    assert digest("plain") == digest(b"plain")


def test_a_text_is_the_same_however_its_white_space_is_set() -> None:
    assert content_hash(" add\n  retries ") == content_hash("add retries")
    assert content_hash("addretries") != content_hash("add retries")


def test_a_fork_keeps_uuids_and_so_the_session_belongs_to_the_name() -> None:
    assert entry_key("one", "uuid") != entry_key("other", "uuid")
    assert entry_key("one", "uuid", 0) != entry_key("one", "uuid", 1)
    assert spool_key("file", 12) != spool_key("file", 1, 2)
