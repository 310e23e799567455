"""What Claude Code asks a person, in words we can show, and how it wants to be answered."""

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from turnkeeper.facts.kinds import AskAnswered, Decision, PermissionAsked, ToolStarted, What

Input = Mapping[str, Any]  # what a tool is given is the tool's own business
GIST: Final = 160
TELLING: Final = ("command", "file_path", "notebook_path", "url", "pattern", "query", "prompt")
"""The fields of a tool's input that say most, the best first."""


class Option(msgspec.Struct, frozen=True):
    label: str
    description: str = ""


class Question(msgspec.Struct, frozen=True):
    """One question with the answers it offers. Other words may be given, too."""

    question: str
    header: str = ""
    multiple: bool = False
    options: list[Option] = []


class Described(msgspec.Struct, frozen=True):
    """What a tool call would do, for the person who is to allow it."""

    title: str
    body: str
    input: dict[str, Any] | None = None
    diff: str | None = None
    questions: list[Question] = []


def described(what: What | None, tool: str) -> Described:
    """Say what a tool was asked to do; total, whatever it was given."""
    given = _input(what)
    if given is None:
        return Described(tool or "Something waits in the terminal", "")
    if tool == "AskUserQuestion":
        return _questions(given)
    if tool == "ExitPlanMode":
        plan = str(given.get("plan") or "")
        return Described("A plan to approve", plan, given)
    gist = next((str(given[name]) for name in TELLING if isinstance(given.get(name), str)), "")
    title = f"{tool}: {_line(gist)}" if gist else tool
    return Described(title, _body(given), given, _diff(tool, given))


def suggested(what: What | None) -> list[str]:
    """What the client would do on "always", in words."""
    return [_suggestion(each) for each in _suggestions(what)]


def decision_of(what: What, answer: AskAnswered) -> bytes:
    """What the waiting hook prints, so that the client does as it was told. The answer fits."""
    decided: dict[str, object] = {"behavior": "allow"}
    match answer.decision:
        case Decision.DENY | Decision.REJECT:
            decided = {"behavior": "deny", "message": answer.message or DENIED}
        case Decision.ALWAYS:
            decided["updatedPermissions"] = _suggestions(what)
        case Decision.ANSWER:
            said = {question: ", ".join(words) for question, words in answer.answers.items()}
            decided["updatedInput"] = {**(_input(what) or {}), "answers": said}
        case Decision.APPROVE:
            # Without its input the client goes on asking (2.1.325).
            decided["updatedInput"] = _input(what) or {}
        case _:
            pass
    said_by_hook = {"hookEventName": "PermissionRequest", "decision": decided}
    return json.dumps({"hookSpecificOutput": said_by_hook}).encode()


DENIED: Final = "The user said no, from Turnkeeper's board"


def _input(what: What | None) -> dict[str, Any] | None:
    match what:
        case PermissionAsked(input=raw) | ToolStarted(input=raw) if bytes(raw):
            given = _decoded(raw)
            return given if isinstance(given, dict) else None
        case _:
            return None


def _suggestions(what: What | None) -> list[Any]:
    if not isinstance(what, PermissionAsked) or not bytes(what.suggestions):
        return []
    given = _decoded(what.suggestions)
    return given if isinstance(given, list) else []


def _decoded(raw: msgspec.Raw) -> object:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def _body(given: Input) -> str:
    """A command as it would be run; of anything else, what was given."""
    command = given.get("command")
    if isinstance(command, str):
        return command
    return json.dumps(given, ensure_ascii=False, indent=2)


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= GIST else f"{line[: GIST - 1]}…"


# Questions --------------------------------------------------------------------------------------


def _questions(given: Input) -> Described:
    asked = given.get("questions")
    questions = [_question(each) for each in asked] if isinstance(asked, list) else []
    known = [each for each in questions if each is not None]
    title = _line(known[0].question) if known else "A question"
    if len(known) > 1:
        title = f"{title} (and {len(known) - 1} more)"
    return Described(title, "\n".join(each.question for each in known), dict(given), None, known)


def _question(raw: Any) -> Question | None:
    if not isinstance(raw, dict) or not isinstance(raw.get("question"), str):
        return None
    options = raw.get("options")
    return Question(
        question=raw["question"],
        header=str(raw.get("header") or ""),
        multiple=raw.get("multiSelect") is True,
        options=_options(options if isinstance(options, list) else []),
    )


def _options(raw: Sequence[object]) -> list[Option]:
    return [
        Option(each["label"], str(each.get("description") or ""))
        for each in raw
        if isinstance(each, dict) and isinstance(each.get("label"), str)
    ]


# Edits ------------------------------------------------------------------------------------------


def _diff(tool: str, given: Input) -> str | None:
    """What an edit would change, as far as its input tells."""
    file = str(given.get("file_path") or given.get("notebook_path") or "")
    match given:
        case {"old_string": str(old), "new_string": str(new)}:
            return unified(old, new, file)
        case {"edits": list(edits)}:
            parts = [_diff(tool, {**each, "file_path": file}) for each in edits if _is_edit(each)]
            return "\n".join(part for part in parts if part) or None
        case {"content": str(new)} if tool == "Write":
            return unified("", new, file)
        case _:
            return None


def _is_edit(raw: object) -> bool:
    return isinstance(raw, dict) and "old_string" in raw


def unified(old: str, new: str, file: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), file, file, lineterm="")
    return "\n".join(lines)


# What "always" would do -------------------------------------------------------------------------


def _suggestion(raw: object) -> str:
    where = f" ({_where(raw)})" if isinstance(raw, dict) else ""
    match raw:
        case {"type": "addRules", "rules": list(rules)}:
            named = ", ".join(_rule(each) for each in rules)
            return f"allow {named} without asking{where}"
        case {"type": "addDirectories", "directories": list(folders)}:
            return f"work in {', '.join(map(str, folders))}{where}"
        case {"type": "setMode", "mode": str(mode)}:
            return f"switch to the mode {mode}{where}"
        case {"type": str(kind)}:
            return f"{kind}{where}"
        case _:
            return "something we do not know"


def _rule(raw: object) -> str:
    match raw:
        case {"toolName": str(tool), "ruleContent": str(content)}:
            return f"{tool}({content})"
        case {"toolName": str(tool)}:
            return tool
        case _:
            return "something we do not know"


def _where(raw: Mapping[str, object]) -> str:
    places = {
        "session": "for this session",
        "localSettings": "in this project's local settings",
        "projectSettings": "in this project's settings",
        "userSettings": "in your settings",
    }
    place = str(raw.get("destination") or "session")
    return places.get(place, place)
