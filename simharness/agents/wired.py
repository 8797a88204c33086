"""What adapters over the wire share: ready clients whose answers are the scripts.

Frameworks take a client object as their users would give them one, and are not changed at all.
Libraries are imported when a client is made, as each framework brings only some of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from simharness.agent import World

__all__ = ["BASE_URL", "client_words", "http_client", "openai_client"]

BASE_URL = "http://scripted.invalid/v1"
"""Never looked up: the transport answers."""


def http_client(world: World, library: str = "httpx2") -> Any:
    """A client of an HTTP library (httpx or httpx2) over the world's transport."""
    client = importlib.import_module(library).AsyncClient
    return client(transport=world.transport(library))


def openai_client(world: World, **options: Any) -> AsyncOpenAI:
    """An OpenAI client over the world's transport, with some other `options`."""
    from openai import AsyncOpenAI

    return AsyncOpenAI(**(client_words(world) | options))


def client_words(world: World) -> dict[str, Any]:
    """What makes an OpenAI client one over the world's transport.

    It does not retry by itself, so that what retries is the framework under test.
    """
    return {
        "api_key": "scripted",
        "base_url": BASE_URL,
        "max_retries": 0,
        "http_client": http_client(world, _openai_library()),
    }


def _openai_library() -> str:
    """The HTTP library of the installed OpenAI SDK: httpx before release 3, httpx2 since."""
    from openai import DefaultAsyncHttpxClient

    parts = (base.__module__.partition(".")[0] for base in DefaultAsyncHttpxClient.__mro__)
    return next(part for part in parts if part.startswith("httpx"))
