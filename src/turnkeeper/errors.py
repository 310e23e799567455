"""Every failure we can explain.

TurnkeeperError
├── AgentUnknown         asked about an agent nobody has seen
├── AgentAmbiguous       a prefix names more than one agent
├── AnsweredNo           the daemon was asked and said why not
├── AnswerUnfit          an answer that does not fit what was asked
├── AskClosed            an ask that has been answered, or vanished, already
├── AskElsewhere         an ask that only its terminal can answer
├── AskUnknown           asked about something that never waited for anyone
├── CommandRefused       a person asked for something that cannot be done now (also a ValueError)
├── CursorUnreadable     a place between two turns that we did not hand out
├── FactUnreadable       words in the journal, or handed to it, that no codec knows
├── FolderUnusable       a folder we need cannot be read or written
├── JournalUnavailable   the log could not be read or written
│   ├── JournalCorrupt   the file is not a database any more
│   ├── JournalLocked    another program holds the file
│   ├── JournalFull      no room is left where the file lives
│   └── JournalNewer     the file was written by a newer version
├── LinkSpent            a browser's one-time link was used already, or is too old
├── MomentUnclear        a time that is neither a date nor so long ago
├── NameUnfit            a name that cannot be shown as one
├── PortTaken            another program listens where we should
├── ProgramMissing       a program that should be run is not installed
├── RecordingUnreadable  a folder to replay does not hold a recording
├── SearchUnclear        asked to search for something that cannot be looked for
├── SettingsUnreadable   the client's settings file cannot be changed safely
├── TurnUnknown          asked about something that an agent's conversation does not hold
└── DaemonAbsent         something needs the daemon, and it does not run

Anything that is not a TurnkeeperError is a bug. It keeps its traceback.
"""


class TurnkeeperError(Exception):
    """A failure whose message is written for the person who will read it."""

    hint: str = ""
    exit_code: int = 1


class AgentUnknown(TurnkeeperError):
    hint = "`turnkeeper agents` lists the agents that have been seen"
    exit_code = 4

    def __init__(self, agent: str) -> None:
        super().__init__(f"No agent {agent!r} has been seen")
        self.agent = agent


class AgentAmbiguous(TurnkeeperError):
    hint = "Give more characters of the session id, or the agent's number"
    exit_code = 4

    def __init__(self, agent: str, matches: int) -> None:
        super().__init__(f"{agent!r} names {matches} agents")
        self.agent = agent
        self.matches = matches


class AnsweredNo(TurnkeeperError):
    """A refusal of the daemon, in its own words."""

    def __init__(self, message: str, *, hint: str, exit_code: int) -> None:
        super().__init__(message)
        self.hint = hint
        self.exit_code = exit_code


class AnswerUnfit(TurnkeeperError):
    hint = "`turnkeeper asks` shows what each ask takes; so does GET /api/asks"
    exit_code = 2

    def __init__(self, ask: int, why: str) -> None:
        super().__init__(f"This answer does not fit ask {ask}: {why}")
        self.ask = ask
        self.why = why


class AskClosed(TurnkeeperError):
    hint = "`turnkeeper asks` lists what still waits"
    exit_code = 5

    def __init__(self, ask: int, why: str) -> None:
        super().__init__(f"Ask {ask} is closed: {why}")
        self.ask = ask
        self.shown: object = None
        """The ask as it stands, for a surface that shows it."""


class AskElsewhere(TurnkeeperError):
    exit_code = 5

    def __init__(self, ask: int, hint: str) -> None:
        super().__init__(f"Ask {ask} can only be answered in its terminal")
        self.ask = ask
        self.hint = hint
        self.shown: object = None


class AskUnknown(TurnkeeperError):
    hint = "`turnkeeper asks` lists what waits"
    exit_code = 4

    def __init__(self, ask: str) -> None:
        super().__init__(f"There is no ask {ask[:40]!r}")
        self.ask = ask


class CommandRefused(TurnkeeperError, ValueError):
    exit_code = 5

    def __init__(self, command: str, *, reason: str) -> None:
        super().__init__(f"Cannot {command}: {reason}")
        self.command = command
        self.reason = reason


class CursorUnreadable(TurnkeeperError):
    hint = "Hand back a cursor as the API gave it, or leave it out"

    def __init__(self, cursor: str) -> None:
        super().__init__(f"{cursor[:80]!r} is no cursor of ours")
        self.cursor = cursor


class FactUnreadable(TurnkeeperError):
    hint = "The fact was written by another version, or its file was damaged"

    def __init__(self, why: str) -> None:
        super().__init__(f"A fact cannot be read: {why}")
        self.why = why


class FolderUnusable(TurnkeeperError):
    hint = "Choose another folder with --data or TURNKEEPER_DATA, or mend its permissions"

    def __init__(self, folder: str, why: str) -> None:
        super().__init__(f"The folder {folder} cannot be used: {why}")
        self.folder = folder
        self.why = why


class JournalUnavailable(TurnkeeperError):
    hint = "Nothing acknowledged is lost; try again when the cause is gone"

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"The journal {file} cannot be used: {why}")
        self.file = file
        self.why = why


class JournalCorrupt(JournalUnavailable):
    hint = "The file is kept as it is; move it away to start anew, or restore it from a backup"


class JournalLocked(JournalUnavailable):
    hint = "Close the program that holds the file, then try again"


class JournalFull(JournalUnavailable):
    hint = "Make room on that disk; what was acknowledged is safe, the rest will be read again"


class JournalNewer(JournalUnavailable):
    hint = "Install the newer Turnkeeper again, or choose another data folder"


class LinkSpent(TurnkeeperError):
    hint = "`turnkeeper up` prints a new link when it starts; POST /api/links makes one"

    def __init__(self) -> None:
        super().__init__("This link was used already, or is older than ten minutes")


class MomentUnclear(TurnkeeperError):
    hint = "Write 2026-11-16, 2026-11-16T08:30, or how long ago: 30min, 2h, 3d"
    exit_code = 2

    def __init__(self, text: str, why: str = "") -> None:
        neither = "is neither a date such as 2026-11-16 nor a time ago such as 2h or 3d"
        super().__init__(f"{text[:40]!r} {why or neither}")
        self.text = text


class NameUnfit(TurnkeeperError):
    hint = "A name is one line of up to 200 characters, and none of them steers a terminal"
    exit_code = 2

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name[:40]!r} cannot be a name: {why}")
        self.name = name
        self.why = why


class PortTaken(TurnkeeperError):
    hint = "Choose another with --port, or stop the program that listens there"

    def __init__(self, host: str, port: int, why: str) -> None:
        super().__init__(f"Cannot listen on {host}:{port}: {why}")
        self.host = host
        self.port = port


class ProgramMissing(TurnkeeperError):
    hint = "Name it by its path, or add its folder to PATH"
    exit_code = 127

    def __init__(self, program: str) -> None:
        super().__init__(f"{program} cannot be run: no such program is on the PATH")
        self.program = program


class RecordingUnreadable(TurnkeeperError):
    hint = "A recording is a folder with hooks.jsonl, registry.jsonl, process.jsonl or transcripts/"

    def __init__(self, folder: str, why: str) -> None:
        super().__init__(f"The folder {folder} cannot be replayed: {why}")
        self.folder = folder
        self.why = why


class SearchUnclear(TurnkeeperError):
    hint = "`turnkeeper search --help` says what can be asked"
    exit_code = 2

    def __init__(self, why: str) -> None:
        super().__init__(f"This search cannot be done: {why}")
        self.why = why


class SettingsUnreadable(TurnkeeperError):
    hint = "Mend the file by hand, or move it away; it was not changed"

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"The settings {file} cannot be changed safely: {why}")
        self.file = file
        self.why = why


class TurnUnknown(TurnkeeperError):
    hint = "`turnkeeper turns AGENT` lists what was said, each with its position"
    exit_code = 4

    def __init__(self, agent: int, position: int) -> None:
        super().__init__(f"Agent {agent} has no turn at position {position}")
        self.agent = agent
        self.position = position


class DaemonAbsent(TurnkeeperError):
    hint = "Start it with `turnkeeper up`"
    exit_code = 3

    def __init__(self, data: str) -> None:
        super().__init__(f"No daemon runs on {data}")
        self.data = data
