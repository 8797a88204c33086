"""The formats that can be checked, and their rules by id."""

from __future__ import annotations

from typing import Final

from simharness.recorded.acp import ACP
from simharness.recorded.agui import AGUI
from simharness.recorded.anthropic import ANTHROPIC
from simharness.recorded.format import Format
from simharness.recorded.openai_chat import CHAT
from simharness.recorded.openai_responses import RESPONSES
from simharness.recorded.own import OWN
from simharness.recorded.rule import FormatRule
from simharness.recorded.vercel import VERCEL

__all__ = ["FORMATS", "FORMAT_RULES"]

FORMATS: Final[dict[str, Format]] = {
    one.name: one for one in (OWN, AGUI, ACP, CHAT, RESPONSES, ANTHROPIC, VERCEL)
}
"""Every format by its name."""

FORMAT_RULES: Final[dict[str, FormatRule]] = {
    rule.id: rule for one in FORMATS.values() for rule in one.rules
}
"""Every rule about a format by its id."""
