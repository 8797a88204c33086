"""Scenario texts for the plugin's tests, by what becomes of them."""

from __future__ import annotations

HOLDS = 'scenario: plain\nmodel: ["Hi ", "there."]\nrun: [{prompt: go}]\n'

TOOL = """# a comment, so that the scenario starts on line 2
scenario: one-tool
tags: [files]
model: [[{call: search}], ["Done."]]
tools: {search: {returns: "3 hits", takes: 1s}}
run: [{prompt: go}]
"""
"""Holds for `tests.loops:good`; `tests.loops:forgetful` breaks tool-pairing."""

PINNED = TOOL.replace("tags: [files]", "violates: tool-pairing")

WAIVED = TOOL.replace("tags: [files]", "waive: {tool-pairing: known, request-wellformed: known}")

SETTING = "\nscenario: setting\nmodel: [Hi]\nagent: {turn_limit: 1}\nrun: [{prompt: go}]\n"

MISSED = """scenario: missed
model: [Hi]
run:
  - prompt: go
  - cancel: {after: TurnEnd 1}
"""

MATRIX = """scenario: matrix
model: [{each: [Hi, Ho]}]
run: [{prompt: go}]
"""
