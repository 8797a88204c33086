"""What adapters over the OpenAI wire share: a ready client whose answers are the scripts.

Frameworks take a client object as their users would give them one, and are not changed at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2
from openai import AsyncOpenAI

if TYPE_CHECKING:
    from simharness.agent import World

__all__ = ["BASE_URL", "http_client", "openai_client"]

BASE_URL = "http://scripted.invalid/v1"
"""Never looked up: the transport answers."""


def http_client(world: World) -> httpx2.AsyncClient:
    """A client of the HTTP library over the world's transport."""
    return httpx2.AsyncClient(transport=world.transport("httpx2"))


def openai_client(world: World, **options: Any) -> AsyncOpenAI:
    """An OpenAI client over the world's transport.

    It does not retry by itself, so that what retries is the framework under test.
    """
    words: dict[str, Any] = {"api_key": "scripted", "base_url": BASE_URL, "max_retries": 0}
    return AsyncOpenAI(http_client=http_client(world), **(words | options))
