"""Which frameworks there are, what they need, and how many trials make up their share of time."""

from __future__ import annotations

import attrs

__all__ = ["FRAMEWORKS", "Framework"]


@attrs.frozen
class Framework:
    """One framework by the name of its adapter.

    `needs` is what pip installs, always the newest release. `sweep` and `suite` are the most trials
    of each; together some 150 seconds of one core.
    """

    agent: str
    needs: tuple[str, ...]
    sweep: int
    suite: int


FRAMEWORKS: tuple[Framework, ...] = (
    Framework("tinyagent", ("tiny-agent-os",), 12_000, 20_000),
    Framework("pydantic-ai", ("pydantic-ai-slim[anthropic]",), 3_000, 1_500),
    Framework("openai-agents", ("openai-agents",), 3_000, 1_500),
    Framework("strands", ("strands-agents[openai]",), 2_500, 1_200),
    Framework("google-adk", ("google-adk",), 1_000, 500),
    Framework("agno", ("agno", "openai"), 2_000, 1_000),
    Framework("agent-framework", ("agent-framework-core", "agent-framework-openai"), 1_500, 800),
    Framework("langgraph", ("langchain", "langchain-openai", "langgraph"), 2_500, 1_200),
    Framework("autogen", ("autogen-agentchat", "autogen-ext[openai]"), 2_000, 1_000),
    Framework("anthropic", ("anthropic",), 3_000, 1_500),
    Framework("llama-index", ("llama-index-core", "llama-index-llms-openai-like"), 800, 400),
    Framework("smolagents", ("smolagents",), 2_500, 1_200),
)
