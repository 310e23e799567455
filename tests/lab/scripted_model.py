"""A scripted model service on loopback: a real client runs offline and does what a test says.

A prompt that contains @@name is answered from <scripts>/name.json: a list of assistant
messages, each a list of blocks. Message k answers the k-th request after that prompt, so a
script can span tool calls.

  {"text": "..."}                      a text block
  {"tool": "Bash", "input": {...}}     a tool call
  {"status": 529}                      an HTTP error instead of a message
  {"delay": 1.5}                       seconds to wait before the message starts
  {"trickle": 0.2}                     seconds between the words of the text blocks
"""

import json
import re
import threading
import time
import uuid
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import msgspec

SCRIPTS = Path(__file__).with_name("scripts")
USAGE = {"input_tokens": 100, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 5}
OUTPUT_TOKENS = 20

Json = dict[str, object]


class Block(msgspec.Struct, frozen=True):
    """One entry of a scripted message: words, a tool call, or how the message is sent."""

    text: str | None = None
    tool: str | None = None
    input: Json = {}
    status: int | None = None
    delay: float = 0
    trickle: float = 0


class Asked(msgspec.Struct, frozen=True):
    """What we need of a request: anything else in it is the client's own business."""

    messages: list["Message"] = []
    model: str = "scripted"
    stream: bool = False


class Message(msgspec.Struct, frozen=True):
    role: str
    content: str | list[Json] = ""

    def texts(self) -> list[str]:
        if isinstance(self.content, str):
            return [self.content]
        return [str(block["text"]) for block in self.content if block.get("type") == "text"]


def next_message(messages: Sequence[Message], scripts: Path) -> list[Block]:
    """The scripted message that answers this conversation; a fixed one where no script is named."""
    named = [
        (index, name)
        for index, message in enumerate(messages)
        if message.role == "user"
        for text in message.texts()
        for name in re.findall(r"@@([a-z0-9_-]+)", text)
    ]
    if not named:
        return [Block(text="Nothing is scripted for this prompt.")]
    start, name = named[-1]
    script = msgspec.json.decode((scripts / f"{name}.json").read_bytes(), type=list[list[Block]])
    answered = sum(message.role == "assistant" for message in messages[start:])
    return script[answered] if answered < len(script) else [Block(text="The script has ended.")]


def content_of(block: Block) -> Json | None:
    if block.tool is not None:
        call = f"toolu_{uuid.uuid4().hex[:20]}"
        return {"type": "tool_use", "id": call, "name": block.tool, "input": block.input}
    return None if block.text is None else {"type": "text", "text": block.text}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    scripts: ClassVar[Path] = SCRIPTS

    def log_message(self, *_: object) -> None:
        """A test's output belongs to the test."""

    def do_GET(self) -> None:
        self.answer({})

    def do_HEAD(self) -> None:
        self.answer({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if "count_tokens" in self.path:
            self.answer({"input_tokens": 10})
        elif "/messages" in self.path:
            self.speak(msgspec.json.decode(raw, type=Asked))
        else:
            self.answer({})

    def speak(self, asked: Asked) -> None:
        blocks = next_message(asked.messages, self.scripts)
        time.sleep(max(block.delay for block in blocks))
        status = next((block.status for block in blocks if block.status), None)
        if status:
            error = {"type": "api_error", "message": "scripted failure"}
            self.answer({"type": "error", "error": error}, status)
            return
        content = [said for said in map(content_of, blocks) if said]
        stop = "tool_use" if any(said["type"] == "tool_use" for said in content) else "end_turn"
        message: Json = {
            "id": f"msg_{uuid.uuid4().hex[:20]}",
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "stop_sequence": None,
        }
        if asked.stream:
            self.stream(message, content, stop, max(block.trickle for block in blocks))
        else:
            usage = USAGE | {"output_tokens": OUTPUT_TOKENS}
            self.answer(message | {"content": content, "stop_reason": stop, "usage": usage})

    def answer(self, body: Json, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def stream(self, message: Json, content: list[Json], stop: str, pause: float) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        opening: Json = {"content": [], "stop_reason": None, "usage": USAGE | {"output_tokens": 1}}
        self.emit("message_start", message=message | opening)
        for index, block in enumerate(content):
            self.stream_block(index, block, pause)
        ending = {"stop_reason": stop, "stop_sequence": None}
        self.emit("message_delta", delta=ending, usage={"output_tokens": OUTPUT_TOKENS})
        self.emit("message_stop")

    def stream_block(self, index: int, block: Json, pause: float) -> None:
        if block["type"] == "text":
            text = str(block["text"])
            self.emit(
                "content_block_start", index=index, content_block={"type": "text", "text": ""}
            )
            for piece in re.findall(r"\S+\s*", text) if pause else [text]:
                self.emit(
                    "content_block_delta", index=index, delta={"type": "text_delta", "text": piece}
                )
                time.sleep(pause)
        else:
            whole = json.dumps(block["input"])
            self.emit("content_block_start", index=index, content_block=block | {"input": {}})
            delta = {"type": "input_json_delta", "partial_json": whole}
            self.emit("content_block_delta", index=index, delta=delta)
        self.emit("content_block_stop", index=index)

    def emit(self, kind: str, **fields: object) -> None:
        body = json.dumps({"type": kind, **fields})
        self.wfile.write(f"event: {kind}\ndata: {body}\n\n".encode())
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up mid-answer is part of the test, not an error."""


class ScriptedModel:
    """The service while it runs. Port 0 takes any free port; `url` says which."""

    def __init__(self, scripts: Path = SCRIPTS, port: int = 0) -> None:
        handler = type("ScriptedHandler", (Handler,), {"scripts": scripts})
        self._server = Server(("127.0.0.1", port), handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.socket.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
