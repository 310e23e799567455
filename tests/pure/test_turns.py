"""One thing said is one turn, however many sources tell it (rulings B7, B8)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.stories import (
    CLEARED,
    P1,
    P2,
    SECOND,
    began,
    changes_of,
    ended_a_call,
    fact,
    line,
    spoke,
    was_interjected,
    was_notified,
    was_prompted,
)
from turnkeeper.facts.fact import Fact, Source
from turnkeeper.facts.kinds import AgentSpoke, What
from turnkeeper.facts.words import Actor
from turnkeeper.projections.turns import REMEMBERED, Pairing, Told, Turn, TurnKind


def told(*happenings: What | Fact) -> list[Told]:
    return [each for changes in changes_of(*happenings) for each in changes.told]


def turns(*happenings: What | Fact) -> list[Turn]:
    """The turns these tellings come to, each as it was last told, in the order they happened."""
    last = {each.turn.position: each.turn for each in told(*happenings)}
    return sorted(last.values(), key=lambda turn: (turn.happened_at, turn.position))


def written(text: str, at: float, prompt: str = P1, entry: str = "u1") -> Fact:
    return line(was_prompted(text, prompt, entry=entry), at)


def heard(text: str, at: float, prompt: str = P1) -> Fact:
    return fact(was_prompted(text, prompt), at)


def test_a_hook_and_its_entry_become_one_turn() -> None:
    (turn,) = turns(heard("continue", 2), written("continue", 1.5))

    assert (turn.entry, turn.source) == ("u1", Source.TRANSCRIPT)


def test_the_transcripts_time_wins_and_the_turn_keeps_its_place() -> None:
    (turn,) = turns(heard("continue", 2), written("continue", 1.5))

    assert turn.happened_at == 1.5 * SECOND
    assert (turn.position, turn.words_at) == (1, 2)


def test_the_correction_is_told_as_one() -> None:
    first, second = told(heard("continue", 2), written("continue", 1.5))

    assert (first.new, first.corrected) == (True, False)
    assert (second.new, second.corrected) == (False, True)


def test_the_entry_may_come_before_the_hook() -> None:
    first, second = told(written("continue", 1.5), heard("continue", 2))

    assert first.new
    assert (second.new, second.corrected) == (False, False)
    assert second.turn == first.turn


def test_two_equal_texts_stay_two_turns() -> None:
    both = (heard("yes", 1), written("yes", 1, entry="u1"))
    again = (heard("yes", 5, P2), written("yes", 5, P2, entry="u2"))

    assert [turn.entry for turn in turns(*both, *again)] == ["u1", "u2"]


def test_two_equal_texts_in_one_turn_stay_two_as_well() -> None:
    hooks = (heard("yes", 1), heard("yes", 2))
    entries = (written("yes", 1, entry="u1"), written("yes", 2, entry="u2"))

    assert [turn.entry for turn in turns(*hooks, *entries)] == ["u1", "u2"]


def test_a_prompt_id_correlates_and_never_deduplicates() -> None:
    mid_turn = (heard("first", 1), heard("second", 2))

    assert len(turns(*mid_turn)) == 2
    assert len({turn.prompt for turn in turns(*mid_turn)}) == 1


def test_equal_texts_of_different_turns_are_not_taken_for_one() -> None:
    assert len(turns(heard("yes", 1, P1), written("yes", 5, P2))) == 2


def test_without_prompt_ids_texts_are_matched_in_order() -> None:
    hooks = (heard("yes", 1, ""), heard("yes", 9, ""))
    entries = (written("yes", 1.2, P1, "u1"), written("yes", 9.2, P2, "u2"))

    first, second = turns(*hooks, *entries)

    assert (first.position, first.entry) == (1, "u1")
    assert (second.position, second.entry) == (2, "u2")


def test_white_space_does_not_make_two_turns_of_one() -> None:
    assert len(turns(heard("add\n retries", 1), written("add retries ", 1))) == 1


def test_a_client_killed_at_once_leaves_the_hooks_turn_for_good() -> None:
    (lost, kept) = turns(heard("lost", 1), heard("kept", 5, P2), written("kept", 5, P2))

    assert (lost.source, lost.entry) == (Source.HOOK, "")
    assert kept.source is Source.TRANSCRIPT


def test_a_reply_is_paired_like_a_prompt() -> None:
    stop = fact(spoke("Done.", final=True), 2)
    entry = line(spoke("Done.", final=True, entry="a1"), 1.9)

    (turn,) = turns(stop, entry)

    assert (turn.actor, turn.entry) == (Actor.AGENT, "a1")


def test_a_user_and_an_agent_may_say_the_same() -> None:
    assert len(turns(heard("yes", 1), line(spoke("yes"), 1))) == 2


def test_the_same_words_in_another_session_are_other_words() -> None:
    elsewhere = line(was_prompted("yes", entry="u1"), 1, session=CLEARED)

    assert len(turns(heard("yes", 1), elsewhere)) == 2


def test_what_the_client_says_in_the_agents_name_is_a_notice() -> None:
    filler = line(AgentSpoke("No response requested.", P1, entry="a1", synthetic=True), 2)

    assert turns(filler)[0].kind is TurnKind.NOTICE


def test_an_injected_prompt_is_a_turn_of_its_own_kind() -> None:
    kinds = [turn.kind for turn in turns(was_notified(), was_interjected())]

    assert kinds == [TurnKind.INJECTED, TurnKind.TEXT]


def test_a_tool_call_is_a_turn_where_the_transcript_tells_it() -> None:
    by_hook = (began(), ended_a_call())
    by_transcript = (line(began(), 1), line(ended_a_call(), 2))

    assert turns(*by_hook) == []
    assert [turn.kind for turn in turns(*by_transcript)] == [TurnKind.TOOL, TurnKind.TOOL]


def test_a_recovered_turn_moves_the_command_once() -> None:
    twice = (heard("Add retries.", 1), written("Add retries.", 1))

    moves = [move for changes in changes_of(*twice) for move in changes.moves]

    assert [move.to_state for move in moves if move.machine == "command"] == ["commanded"]


def test_what_waits_for_its_other_half_is_bounded() -> None:
    hooks = [heard(f"prompt {n}", n, f"p{n}") for n in range(2 * REMEMBERED)]

    assert len(turns(*hooks)) == 2 * REMEMBERED
    assert Pairing() == Pairing((), ())


tellings = st.lists(
    st.tuples(st.sampled_from(["yes", "no"]), st.sampled_from([P1, P2])), max_size=5
)


@settings(max_examples=20, deadline=None)
@given(tellings, st.data())
def test_however_both_sources_interleave_each_thing_said_is_one_turn(
    said: list[tuple[str, str]], data: st.DataObject
) -> None:
    hooks = [heard(text, n, prompt) for n, (text, prompt) in enumerate(said, 1)]
    entries = [written(text, n + 0.2, prompt, f"u{n}") for n, (text, prompt) in enumerate(said, 1)]
    tossed = data.draw(st.permutations([True] * len(hooks) + [False] * len(entries)))
    waiting = {True: iter(hooks), False: iter(entries)}
    story = [next(waiting[side]) for side in tossed]

    assert sorted(turn.entry for turn in turns(*story)) == sorted(
        f"u{n + 1}" for n in range(len(said))
    )
