"""Messages over a pipe arrive whole, in order, however they were cut."""

from __future__ import annotations

import os
import threading

import pytest

from simharness.isolate.wire import Receiver, send, wait_for


def test_messages_arrive_whole_and_in_order() -> None:
    """Small ones together, a large one in many pieces, and the end when the sender is gone."""
    read_fd, write_fd = os.pipe()
    messages: list[object] = ["one", ("two", 2), b"x" * (1 << 20), None]

    def talk() -> None:
        for message in messages:
            send(write_fd, message)
        os.close(write_fd)

    thread = threading.Thread(target=talk)
    thread.start()
    assert messages == list(wait_for(Receiver(read_fd)))
    thread.join()
    os.close(read_fd)


def test_half_a_message_is_none() -> None:
    """What a dying worker did not finish is never taken for a message."""
    read_fd, write_fd = os.pipe()
    os.write(write_fd, b"\x10\0\0\0\0\0\0\0half")
    os.close(write_fd)

    assert [] == list(wait_for(Receiver(read_fd)))
    os.close(read_fd)


def test_sending_to_nobody_is_an_error() -> None:
    """A worker whose parent is gone has to notice."""
    read_fd, write_fd = os.pipe()
    os.close(read_fd)

    with pytest.raises(BrokenPipeError):
        send(write_fd, "anybody there?")
    os.close(write_fd)
