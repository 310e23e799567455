"""Listens for HTTP in the daemon's own event loop."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import Final

import uvicorn

from turnkeeper.errors import PortTaken
from turnkeeper.surfaces.http.wire import App

BACKLOG: Final = 1024
GOODBYE: Final = 3
"""Seconds open connections get to end when the daemon stops."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, or a sentence why not. Port 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(BACKLOG)
    except OSError as cause:
        bound.close()
        raise PortTaken(host, port, cause.strerror or str(cause)) from cause
    bound.setblocking(False)
    return bound


class Quiet(uvicorn.Server):
    """A server that leaves the signals to the daemon."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """The HTTP server of one daemon."""

    def __init__(self, app: App, bound: socket.socket) -> None:
        self._bound = bound
        self._server = Quiet(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                lifespan="off",
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=GOODBYE,
            )
        )
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._server.serve([self._bound]), name="http")

    async def stop(self) -> None:
        self._server.should_exit = True
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        self._bound.close()
