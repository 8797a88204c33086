"""What adapters over the OpenAI wire share: a ready client whose answers are the scripts.

Frameworks take a client object as their users would give them one, and are not changed at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openai import AsyncOpenAI, DefaultAsyncHttpxClient

if TYPE_CHECKING:
    from simharness.agent import World

__all__ = ["BASE_URL", "client_words", "http_client", "openai_client"]

BASE_URL = "http://scripted.invalid/v1"
"""Never looked up: the transport answers."""

# The SDK takes clients of its own HTTP library only: httpx before release 3, httpx2 since.
_CLIENT: Any = next(one for one in DefaultAsyncHttpxClient.__mro__ if one.__name__ == "AsyncClient")
_LIBRARY = str(_CLIENT.__module__).partition(".")[0]


def http_client(world: World) -> Any:
    """A client of the SDK's HTTP library, `httpx` or `httpx2`, over the world's transport."""
    return _CLIENT(transport=world.transport(_LIBRARY))


def client_words(world: World) -> dict[str, Any]:
    """What makes an OpenAI client one over the world's transport.

    It does not retry by itself, so that what retries is the framework under test.
    """
    return {
        "api_key": "scripted",
        "base_url": BASE_URL,
        "max_retries": 0,
        "http_client": http_client(world),
    }


def openai_client(world: World, **options: Any) -> AsyncOpenAI:
    """An OpenAI client over the world's transport, with some other `options`."""
    return AsyncOpenAI(**(client_words(world) | options))
