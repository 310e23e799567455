"""The `turnkeeper` command. Verbs are found by name and imported only when called."""

import sys
from importlib import import_module
from typing import Final

import click

from turnkeeper import __version__
from turnkeeper.errors import TurnkeeperError

VERBS: Final = {
    "agents": "List the agents: what each is doing, for how long, and its last words.",
    "answer": "Answer what an agent waits for, once.",
    "asks": "List everything that waits for you, the oldest first.",
    "demo": "Show the board on scripted agents, in a folder that is thrown away.",
    "doctor": "Look for what may be wrong, and say what to do.",
    "export": "Write a whole conversation to a file.",
    "hooks": "Install, remove or inspect the client's hooks.",
    "intent": "Say what messages mean: JSON lines in, JSON lines out.",
    "link": "Print a link that lets one browser see the board.",
    "interrupt": "Press Escape in an agent's terminal, while it works.",
    "logs": "Show the daemon's log, of one agent or of all.",
    "machines": "Show the state machines as tables.",
    "mute": "Be left alone by an agent, or not any more.",
    "prices": "Show what tokens cost, or set it.",
    "rebuild": "Make the board anew from the journal.",
    "reconcile": "Read an agent's transcripts again and report what that mended.",
    "rename": "Give an agent a name of your own.",
    "replay": "Play a recording of a client and tell every change of its standing.",
    "run": "Run a client, and see its start and its end.",
    "search": "Find words in everything that was said.",
    "show": "Show one agent: where it runs, what it does, what it last said.",
    "spend": "Show the tokens spent and their estimated cost.",
    "status": "Say whether the daemon runs, and how far it has come.",
    "stop": "Stop the daemon.",
    "timeline": "Show how each agent stood over the last hours.",
    "turns": "Show what an agent and its user said.",
    "up": "Watch the clients of this machine and keep what they say.",
    "verify": "Compare the transcripts, line by line, with what is kept.",
    "wait": "Wait until an agent stands as asked.",
    "why": "Show the evidence behind an agent's status.",
}
"""Each verb and its one line of help, here so that `--help` need not import them all."""


class Verbs(click.Group):
    """A group whose commands live in modules of their own name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command = getattr(import_module(f"turnkeeper.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(VERBS.items()))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="turnkeeper")
def turnkeeper() -> None:
    """Keeps every turn of every coding agent, and keeps whose turn it is."""


def main() -> None:
    """Run a verb. What we can explain becomes one sentence; anything else is a bug."""
    try:
        turnkeeper(standalone_mode=False)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except click.Abort:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except TurnkeeperError as problem:
        click.echo(f"turnkeeper: {problem}", err=True)
        if problem.hint:
            click.echo(f"  {problem.hint}", err=True)
        sys.exit(problem.exit_code)
