"""`turnkeeper answer ASK …`: say yes, no or what, from anywhere."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnkeeper.cli.options import data_option, json_option
from turnkeeper.errors import AnswerUnfit

if TYPE_CHECKING:
    from turnkeeper.desk.asks import AskTold
    from turnkeeper.sources.claude_asks import Question

DECISIONS = ("allow", "always", "deny", "approve", "reject", "dismiss")
BY = "the command line"


@click.command()
@click.argument("ask_id", metavar="ASK", type=click.IntRange(min=1))
@click.argument("decision", type=click.Choice(DECISIONS), required=False)
@click.option("--message", default="", help="What to tell the agent, with a no.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="LABEL",
    help="An option on offer; HEADER=LABEL where two questions offer it. Repeat for more.",
)
@click.option(
    "--text",
    "texts",
    multiple=True,
    help="Words of your own; HEADER=WORDS where there are several questions.",
)
@data_option
@json_option
def answer(
    ask_id: int,
    decision: str | None,
    data: Path | None,
    *,
    message: str,
    options: tuple[str, ...],
    texts: tuple[str, ...],
    as_json: bool,
) -> None:
    """Answer what an agent waits for.

    ASK is the number that `turnkeeper asks` shows. Exits 5 if it is closed already or can only be
    answered in its terminal, 4 if there is no such ask, 2 if the answer does not fit.
    """
    import msgspec

    from turnkeeper.cli.asking import ask
    from turnkeeper.desk.asks import AskTold

    if (decision is None) == (not options and not texts):
        raise AnswerUnfit(ask_id, "give a decision, or --option or --text for a question")
    body: dict[str, object] = {"decision": decision or "answer", "message": message, "by": BY}
    if options or texts:
        shown = msgspec.json.decode(ask(data, f"/api/asks/{ask_id}"), type=AskTold)
        if shown.answerable and shown.questions:
            body["answers"] = answers(shown, options, texts)
    answered = ask(data, f"/api/asks/{ask_id}/answer", "POST", body)
    if as_json:
        click.echo(answered)
        return
    told = msgspec.json.decode(answered, type=AskTold)
    click.echo(f"{told.why}: {told.title} ({told.agent})")


def answers(
    shown: "AskTold", options: tuple[str, ...], texts: tuple[str, ...]
) -> dict[str, list[str] | str]:
    """Which words answer which question."""
    said: dict[str, list[str] | str] = {}
    for each in options:
        question, label = _offering(shown, each)
        known = said.get(question.question, [])
        said[question.question] = [*known, label]
    for each in texts:
        question, words = _addressed(shown, each)
        if question.question in said:
            raise AnswerUnfit(shown.id, f"{question.question[:80]!r} has two answers")
        said[question.question] = words
    return said


def _offering(shown: "AskTold", option: str) -> "tuple[Question, str]":
    header, _, label = option.partition("=")
    for question in shown.questions:
        if question.header == header and label in [each.label for each in question.options]:
            return question, label
    offering = [
        question
        for question in shown.questions
        if option in [each.label for each in question.options]
    ]
    if len(offering) == 1:
        return offering[0], option
    if offering:
        raise AnswerUnfit(shown.id, f"several questions offer {option!r}; write HEADER={option}")
    listed = ", ".join(each.label for one in shown.questions for each in one.options)
    raise AnswerUnfit(shown.id, f"{option!r} is not on offer; these are: {listed or 'none'}")


def _addressed(shown: "AskTold", text: str) -> "tuple[Question, str]":
    header, _, words = text.partition("=")
    for question in shown.questions:
        if question.header == header and words:
            return question, words
    if len(shown.questions) == 1:
        return shown.questions[0], text
    headers = ", ".join(each.header for each in shown.questions)
    raise AnswerUnfit(shown.id, f"write HEADER=WORDS; the headers are: {headers or 'none'}")
