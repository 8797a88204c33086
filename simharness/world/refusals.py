"""What the simulated loop refuses: sockets, subprocesses, signals, and running inside itself.

Each refusal says what to use instead, because the program under test meets it far from our code.
"""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn


class NotSimulatedError(RuntimeError):
    """The program asked the simulated world for something that only a real machine has."""


def refuse(what: str, instead: str) -> NoReturn:
    """Raise the error for `what`, with the way out."""
    raise NotSimulatedError(f"{what} does not exist in the simulated world; {instead}")


_NETWORK = "give the agent a model stream from world.stream() or a client over world.transport()"
_PROCESS = "script it as a tool, or test the agent as a child process"
_SIGNAL = "use the scenario action `interrupt`"
_NESTED = (
    "this loop is already running. An agent that calls asyncio.run() or blocks is synchronous: "
    "declare `style = Style.SYNC`"
)


class Refusals(asyncio.AbstractEventLoop):
    """The methods of a loop that have no meaning in the simulated world."""

    def run_until_complete(self, future: Any) -> NoReturn:
        """Refused: the loop is already running."""
        refuse("run_until_complete()", _NESTED)

    def run_forever(self) -> NoReturn:
        """Refused: the loop is already running."""
        refuse("run_forever()", _NESTED)

    def close(self) -> None:
        """Ignored: the trial closes its loop."""

    async def getaddrinfo(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("getaddrinfo()", _NETWORK)

    async def getnameinfo(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("getnameinfo()", _NETWORK)

    async def create_connection(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("create_connection()", _NETWORK)

    async def create_server(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("create_server()", _NETWORK)

    async def create_unix_connection(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("create_unix_connection()", _NETWORK)

    async def create_unix_server(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("create_unix_server()", _NETWORK)

    async def create_datagram_endpoint(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("create_datagram_endpoint()", _NETWORK)

    async def start_tls(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("start_tls()", _NETWORK)

    async def sendfile(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("sendfile()", _NETWORK)

    async def sock_recv(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("sock_recv()", _NETWORK)

    async def sock_recv_into(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("sock_recv_into()", _NETWORK)

    async def sock_recvfrom(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("sock_recvfrom()", _NETWORK)

    async def sock_recvfrom_into(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("sock_recvfrom_into()", _NETWORK)

    async def sock_sendto(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("sock_sendto()", _NETWORK)

    async def sock_sendfile(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("sock_sendfile()", _NETWORK)

    async def sock_sendall(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("sock_sendall()", _NETWORK)

    async def sock_connect(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("sock_connect()", _NETWORK)

    async def sock_accept(self, *args: Any, **options: Any) -> Any:
        """Refused: there is no network."""
        refuse("sock_accept()", _NETWORK)

    def add_reader(  # type: ignore[override]
        self, fd: Any, callback: Any, *args: Any
    ) -> NoReturn:
        """Refused: there are no file descriptors."""
        refuse("add_reader()", _NETWORK)

    def add_writer(  # type: ignore[override]
        self, fd: Any, callback: Any, *args: Any
    ) -> NoReturn:
        """Refused: there are no file descriptors."""
        refuse("add_writer()", _NETWORK)

    def remove_reader(self, fd: Any) -> bool:
        """Nothing was added."""
        return False

    def remove_writer(self, fd: Any) -> bool:
        """Nothing was added."""
        return False

    async def connect_read_pipe(self, *args: Any, **options: Any) -> Any:
        """Refused: there are no pipes."""
        refuse("connect_read_pipe()", _PROCESS)

    async def connect_write_pipe(self, *args: Any, **options: Any) -> Any:
        """Refused: there are no pipes."""
        refuse("connect_write_pipe()", _PROCESS)

    async def subprocess_exec(self, *args: Any, **options: Any) -> Any:
        """Refused: there are no processes."""
        refuse("a subprocess", _PROCESS)

    async def subprocess_shell(self, *args: Any, **options: Any) -> Any:
        """Refused: there are no processes."""
        refuse("a subprocess", _PROCESS)

    def add_signal_handler(  # type: ignore[override]
        self, sig: Any, callback: Any, *args: Any
    ) -> NoReturn:
        """Refused: there are no signals."""
        refuse("a signal handler", _SIGNAL)

    def remove_signal_handler(self, sig: Any) -> bool:
        """Nothing was added."""
        return False
