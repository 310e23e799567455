"""What one step costs: our table against a bare dict look-up, and against two libraries.

    python bench/advance.py

All walk the same command from prompt to end. The floor is a dict look-up with a key that is already
there, without a function call around it: the least that finding a row can cost.
"""

import sys
from collections.abc import Callable
from timeit import repeat
from typing import Final

from statemachine import State, StateMachine
from transitions import Machine as TransitionsMachine

from turnkeeper.machines.command import MACHINE, CommandEvent, CommandState, advance

WALK: Final = (
    (CommandState.IDLE, CommandEvent.USER_COMMAND),
    (CommandState.COMMANDED, CommandEvent.AGENT_PROGRESS),
    (CommandState.PROCESSING, CommandEvent.AGENT_QUESTION),
    (CommandState.AWAITING_INPUT, CommandEvent.USER_ANSWER),
    (CommandState.PROCESSING, CommandEvent.AGENT_COMPLETION),
    (CommandState.COMPLETE, CommandEvent.COMMAND_ENDED),
)
TABLE: Final = {(row.source, row.event): row.target for row in MACHINE.rows}
ROUNDS: Final = 9
MOST_TIMES_THE_FLOOR: Final = 5.0
LEAST_TIMES_FASTER: Final = 10.0


def nothing() -> None:
    for _pair in WALK:
        pass


def look_up() -> None:
    table = TABLE
    for pair in WALK:
        table[pair]


def look_up_state_and_event() -> None:
    table = TABLE
    for state, event in WALK:
        table[state, event]


def step() -> None:
    for state, event in WALK:
        advance(state, event)


def transitions_walk() -> Callable[[], None]:
    machine = TransitionsMachine(
        states=[state.value for state in CommandState],
        initial=CommandState.IDLE.value,
        auto_transitions=False,
        transitions=[[row.event.value, row.source.value, row.target.value] for row in MACHINE.rows],
    )
    events = [event.value for _, event in WALK]

    def walk() -> None:
        for event in events:
            machine.trigger(event)

    return walk


class Statechart(StateMachine):
    idle = State(initial=True)
    commanded = State()
    processing = State()
    awaiting_input = State()
    complete = State()

    user_command = idle.to(commanded) | awaiting_input.to(commanded)
    user_answer = awaiting_input.to(processing)
    agent_progress = commanded.to(processing) | processing.to(processing)
    agent_question = commanded.to(awaiting_input) | processing.to(awaiting_input)
    agent_completion = commanded.to(complete) | processing.to(complete)
    command_ended = complete.to(idle)


def statemachine_walk() -> Callable[[], None]:
    machine = Statechart()
    events = [event.value for _, event in WALK]

    def walk() -> None:
        for event in events:
            machine.send(event)

    return walk


def nanoseconds(walk: Callable[[], None], *, walks: int) -> float:
    """The time of one step, in the quickest of several rounds."""
    return min(repeat(walk, number=walks, repeat=ROUNDS)) / walks / len(WALK) * 1e9


def main() -> int:
    loop = nanoseconds(nothing, walks=50_000)
    floor = nanoseconds(look_up, walks=50_000) - loop
    paired = nanoseconds(look_up_state_and_event, walks=50_000) - loop
    ours = nanoseconds(step, walks=50_000) - loop
    others = {
        "transitions": nanoseconds(transitions_walk(), walks=500) - loop,
        "python-statemachine": nanoseconds(statemachine_walk(), walks=100) - loop,
    }
    print(f"{'dict look-up (floor)':22} {floor:10.0f} ns")
    print(f"{'... of two words':22} {paired:10.0f} ns   {paired / floor:7.1f} x the floor")
    print(
        f"{'advance':22} {ours:10.0f} ns   {ours / floor:7.1f} x the floor"
        f"      aim <= {MOST_TIMES_THE_FLOOR:.0f}: {said(ours / floor <= MOST_TIMES_THE_FLOOR)}"
    )
    for name, theirs in others.items():
        faster = theirs / ours
        print(
            f"{name:22} {theirs:10.0f} ns   {theirs / floor:7.1f} x the floor; advance is"
            f" {faster:.0f} x faster, aim >= {LEAST_TIMES_FASTER:.0f}:"
            f" {said(faster >= LEAST_TIMES_FASTER)}"
        )
    return 0


def said(met: bool) -> str:
    return "met" if met else "MISSED"


if __name__ == "__main__":
    sys.exit(main())
