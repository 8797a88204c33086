"""Mistakes in scenario files: each is found where it stands and said in words that help."""

from __future__ import annotations

from pathlib import Path

import pytest

from simharness.scenario.load import ScenarioError, load_file, load_text
from tests.unit.scenario.sheets import FILE, problems_of, sheet

CALLING = "[{stream: [{call: search}]}, [done]]"
TOOLS = "{search: 3 hits}"


def run_with(action: str, **blocks: str) -> str:
    """A prompt that calls a tool, and one more action."""
    blocks = {"model": CALLING, "tools": TOOLS} | blocks
    return sheet(**blocks, run=f"[prompt: hi, {action}]")


MISTAKES = {
    # YAML itself
    "nothing": ("", "1:1: the file is empty"),
    "only a comment": ("# hm\n", "1:1: the file is empty"),
    "a list": ("- a\n", "1:1: a scenario file must be a mapping, not a list"),
    "broken YAML": ("scenario: [a\nrun: b\n", "2:4: this is not YAML"),
    "a tab": ("scenario: a\n\trun: b\n", "2:1: this is not YAML"),
    "a control character": ("scenario: a\nabout: \x07\n", "2:8: character '\\x07' is not allowed"),
    "a key twice": (sheet() + "about: a\nabout: b\n", '5:1: the key "about" is given twice'),
    "a list as key": (sheet() + "? [a]\n: b\n", "4:3: a key must be a word"),
    "a tag": (sheet(about="!!python/name:os x"), "mean nothing here"),
    "an unknown alias": (sheet(about="*lost"), '4:8: the alias "*lost" has no anchor'),
    "two documents": (sheet() + "---\na: b\n", "4:1: a scenario file holds one document"),
    # the top of the file
    "no name": (sheet(scenario=""), "1:1: a scenario needs a name"),
    "a name with blanks": (sheet(scenario="my case"), '1:11: "my case" is no name'),
    "no run": (sheet(run=""), '1:1: a scenario needs a "run"'),
    "an unknown key": (sheet(modle="[]"), '4:1: unknown key "modle" of a scenario; did you mean'),
    "no prompt": (sheet(run="[cancel: ]"), "3:6: a run needs at least one prompt"),
    "tags that are numbers": (sheet(tags="{a: b}"), '"tags" must be text, not a mapping'),
    "patience": (sheet(patience="soon"), '"patience" must be a duration such as 50ms'),
    "an endless duration": (sheet(patience="99999999"), '"patience" is longer than 10000000 s'),
    "an unknown mode": (sheet(mode="loose"), 'unknown mode "loose". Known: strict, relaxed'),
    "an unknown hook": (sheet(hooks="{midleware: []}"), 'did you mean "middleware"?'),
    "an unknown exception": (
        sheet(model="[[{raise: {as: TimeotError}}]]"),
        'unknown exception "TimeotError"; did you mean "TimeoutError"? Known: TimeoutError, Conn',
    ),
    "an exception that is reported": (
        sheet(model="[[{error: {as: TimeoutError}}]]"),
        'unknown key "as" of an error',
    ),
    "a misspelt setting": (
        sheet(agent="{turn_limt: 1}"),
        '4:9: no agent has the setting "turn_limt"; did you mean "turn_limit"?',
    ),
    "a misspelt setting of a setting": (
        sheet(agent="{retry: {dely: 1s}}"),
        '4:17: no agent has the setting "dely"; did you mean "delay"?',
    ),
    "an unknown rule form": (sheet(violates="Tool Pairing"), '"violates" must be a rule id such'),
    "a waiver without reason": (sheet(waive="{settles: }"), "the reason of a waiver must be text"),
    "no budget at all": (sheet(explore="{budget: 0}"), '"budget" must be a whole number of at le'),
    "an unknown contract field": (sheet(contract="{cutmessage: kept}"), 'mean "cut_message"?'),
    "an unknown contract word": (
        sheet(contract="{cut_message: keep}"),
        '4:25: "cut_message" cannot be "keep"; did you mean "kept"? Known: kept, text-only',
    ),
    "an unknown family": (sheet(contract="{reports: [turns]}"), 'did you mean "turn"?'),
    # stores
    "an unknown key of a store": (sheet(store="{slwo: 1s}"), 'did you mean "slow"?'),
    "a fault of no write": (sheet(store="{fails: 0}"), "must be a whole number of at least 1"),
    "a fault in words": (
        sheet(store="{drops: sometimes}"),
        '4:16: "drops" must be the number of a write, always, or {write: 2, always: true}',
    ),
    "a fault without a write": (
        sheet(store="{torn: {always: true}}"),
        "say which write it is, as in torn: {write: 2, always: true}",
    ),
    "a kill without a store": (
        sheet(run="[prompt: hi, kill]"),
        '3:19: "kill" needs a "store:" in the file',
    ),
    "a fork of turn zero": (
        sheet(run="[prompt: hi, fork: 0]", store="{}"),
        "must be a whole number of at least 1",
    ),
    "a kill from inside": (
        sheet(run="[prompt: hi, {kill: {after: TurnEnd, from: inside}}]", store="{}"),
        '"kill" comes from outside: a process does not go on behind it',
    ),
    "a write without a store": (
        sheet(run="[prompt: hi, cancel: {during: store write 2}]"),
        'without a "store:" in the file there is no store write',
    ),
    # streams
    "an unknown step": (
        sheet(model="[[{emit-eror: x}]]"),
        '2:11: unknown step "emit-eror"; did you mean "error"? Known steps: text, reasoning',
    ),
    "a slip of a bare word": (sheet(model="[[finsh]]"), '2:10: "finsh" looks like the step "fin'),
    "a bare word that needs a value": (sheet(model="[[call]]"), 'the step "call" needs a value'),
    "a value too many": (sheet(model="[[{hang: 3}]]"), 'the step "hang" takes no value'),
    "two steps in one": (sheet(model="[[{text: a, call: b}]]"), "a step has one key, this has 2"),
    "an empty stream": (sheet(model="[[]]"), "2:9: an empty stream says nothing; write [finish]"),
    "an empty step": (sheet(model="[[a, null]]"), "2:13: an empty step"),
    "a list as step": (sheet(model="[[[a]]]"), "a step is a text, a reserved word or"),
    "a step after the hang": (sheet(model="[[hang, a]]"), 'nothing can come after "hang"'),
    "a step after the raise": (sheet(model="[[{raise: x}, a]]"), 'nothing can come after "raise"'),
    "a step after the close": (sheet(model="[[close, a]]"), 'nothing can come after "close"'),
    "an answer without stream": (sheet(model="[{burst: 2}]"), 'an answer needs a "stream"'),
    "keys beside attempts": (
        sheet(model="[{attempts: [[a]], burst: 2}]"),
        '"burst" belongs inside an attempt',
    ),
    "a burst of none": (sheet(model="[{stream: a, burst: 0}]"), '"burst" must be a whole number'),
    "an unknown finish": (sheet(model="[[{finish: lenght}]]"), 'did you mean "length"?'),
    "an unknown reaction": (
        sheet(model="[{stream: a, on_cancel: abort}]"),
        '2:32: unknown reaction to a cancel "abort"; did you mean "aborted"?',
    ),
    "a late end": (
        sheet(model="[{stream: a, on_cancel: {late: [close]}}]"),
        'the end of a told stream is its "report"',
    ),
    "a call without name": (sheet(model="[[{call: {args: {}}}]]"), 'a call needs a "name"'),
    "too many pieces": (
        sheet(model="[[{call: {name: a, pieces: 9}}]]"),
        "'{}' cannot be cut into 9 pieces",
    ),
    "a cut beyond the end": (
        sheet(model="[[{call: {name: a, cut: [2]}}]]"),
        "byte offsets must rise between 1 and 1, this is 2",
    ),
    "a cut inside a character": (
        sheet(model="[[{call: {name: a, args: '\"\u00fc\"', cut: [2]}}]]"),
        "byte offset 2 lies inside a character",
    ),
    "half a usage": (sheet(model="[[{usage: [1]}]]"), '"usage" is [input, output]'),
    # tools
    "an unknown key of a tool": (sheet(tools="{a: {retruns: x}}"), 'did you mean "returns"?'),
    "returns and raises": (sheet(tools="{a: {returns: x, raises: y}}"), "cannot be given together"),
    "a tool that takes text": (sheet(tools="{a: {takes: 5 minutes}}"), 'not "5 minutes"'),
    # actions and anchors
    "an unknown action": (run_with("cancle: {}"), '3:19: unknown action "cancle"; did you mean "c'),
    "two verbs": (run_with("{cancel: , wait: 1s}"), "one action, one verb"),
    "an empty prompt": (run_with("prompt: "), "a prompt needs a text"),
    "an unknown way": (run_with("cancel: {way: apy}"), 'did you mean "api"?'),
    "a bare cancel word": (run_with("cancel: everywhere"), 'did you mean "anywhere"?'),
    "two anchors": (run_with("cancel: {after: chunk 1, at: 1s}"), "cannot be given together"),
    "an anchor and anywhere": (
        run_with("cancel: {after: chunk 1, anywhere: true}"),
        '"anywhere" and an anchor cannot be given together',
    ),
    "an unknown anchor": (run_with("cancel: {after: serch}"), 'mean "search"?'),
    "a missing chunk": (
        run_with("cancel: {after: chunk 7}"),
        "3:35: there is no chunk 7: the longest answer of this prompt has 1 chunk",
    ),
    "a missing chunk of a request": (
        run_with("cancel: {after: chunk 2 of request 2}"),
        "there is no chunk 2: the longest answer of request 2 has 1 chunk",
    ),
    "a missing request": (
        run_with("cancel: {after: request 3}"),
        "request 3 has no answer; the prompt has 2 answers",
    ),
    "a chunk of an earlier prompt": (
        run_with("{prompt: b, model: [[x]]}, cancel: {after: request 2}"),
        "request 2 has no answer; the prompt has 1 answer",
    ),
    "chunk nought": (run_with("cancel: {after: chunk 0}"), "numbers of an anchor count from 1"),
    "an unknown tool": (run_with("cancel: {after: tool serch}"), 'did you mean "search"?'),
    "a tool that nobody calls": (
        sheet(tools=TOOLS, run="[prompt: hi, cancel: {after: search}]"),
        'no answer of this prompt calls the tool "search"',
    ),
    "before a tool from outside": (run_with("cancel: {before: search}"), 'add "from: inside"'),
    "before a request from outside": (run_with("cancel: {before: request 2}"), "from: inside"),
    "before the terminal": (run_with("cancel: {before: terminal}"), 'write "after: chunk N"'),
    "before a record": (run_with("cancel: {before: TurnEnd}"), 'write "after"'),
    "during a chunk": (run_with("cancel: {during: chunk 1}"), "a chunk does not last"),
    "inside a chunk": (run_with("cancel: {after: chunk 1, from: inside}"), "calls out"),
    "inside without anchor": (run_with("cancel: {from: inside}"), '"from: inside" needs an anchor'),
    "an anchor before any prompt": (
        sheet(run="[cancel: {after: chunk 1}, prompt: hi]"),
        "there is no prompt before this action",
    ),
    "a first prompt meanwhile": (
        sheet(run="[{prompt: hi, meanwhile: true}]"),
        "nothing to run meanwhile of",
    ),
    "two scripts for one prompt": (
        sheet(run="[{prompt: hi, model: [[a]]}]"),
        "the first prompt has its answers at the top of the file",
    ),
    "a verb without its value": (run_with("steer: "), '"steer" needs a value (text)'),
    "a verb with a value too many": (run_with("gc: all"), '"gc" takes no value'),
    # expectations
    "an unknown expectation": (sheet(expect="{histroy: []}"), 'did you mean "history"?'),
    "an unknown outcome": (sheet(expect="{outcome: [canceled, completed]}"), 'mean "cancelled"?'),
    "too few outcomes": (
        sheet(expect="{outcome: completed}"),
        '"outcome" says 1, but there are 2 prompts',
    ),
    "an unknown role": (
        sheet(expect="{history: [usr]}"),
        'unknown role "usr"; did you mean "user"',
    ),
    "two roles": (sheet(expect="{history: [{user: a, tool: b}]}"), "a message needs one role"),
    "an unknown record": (sheet(expect="{timeline: [AgentStrat]}"), 'did you mean "AgentStart"?'),
    "an unknown field": (
        sheet(expect="{timeline: [{AgentEnd: {outcom: failed}}]}"),
        'did you mean "outcome"?',
    ),
    "a body of no tool": (sheet(tools=TOOLS, expect="{bodies: {serch: 1}}"), 'mean "search"?'),
    "one of one": (sheet(expect="{one_of: [{requests: 1}]}"), "at least two alternatives"),
    # the matrix
    "an each without values": (sheet(about="{each: []}"), '"about" has no values'),
    "a value twice": (sheet(about="{each: [a, b, a]}"), '"about" has the same value twice'),
    "an each with company": (sheet(about="{each: [a], or: b}"), '"each" stands alone'),
    "an each for the name": (sheet(scenario="{each: [a, b]}"), '"each" cannot stand here'),
    "an unknown variable": (sheet(about="$shape"), 'unknown variable "$shape"'),
    "a variable without use": (sheet(for_each="{shape: [a]}"), '"$shape" is never used'),
    "an unknown choice": (
        sheet(about="{each: [a, b]}", expect_if="[{when: {abuot: a}, requests: 1}]"),
        'this file has no choice "abuot"; did you mean "about"? Choices: about',
    ),
    "an unknown word of a choice": (
        sheet(about="{each: [aborted, close]}", expect_if="[{when: {about: abort}, requests: 1}]"),
        '"about" is never "abort"; did you mean "aborted"? Its values: aborted, close',
    ),
    "a condition without choices": (
        sheet(expect_if="[{requests: 1}]"),
        'an entry of "expect_if" needs "when: {name: word}"',
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_said_where_it_stands(name: str) -> None:
    """Each mistake gives exactly one problem, with the words that help."""
    text, wanted = MISTAKES[name]
    found = problems_of(text)
    assert 1 == len(found), found
    assert wanted in found[0]


EIGHT = """\
scenario: eight-mistakes
modle: []
model:
  - stream: [a, {emit-eror: x}, finsh]
    on_cancel: abort
tools:
  search: {retruns: x}
run:
  - prompt: hi
  - cancle: {after: chunk 1}
  - cancel: {before: serch}
expect:
  outcome: [canceled, completed]
"""


def test_all_mistakes_of_a_file_are_shown_at_once() -> None:
    """A file with eight mistakes gives eight located messages, each with a suggestion."""
    with pytest.raises(ScenarioError) as caught:
        load_text(EIGHT, FILE)
    places = [(p.line, p.column) for p in caught.value.problems]
    assert [(2, 1), (4, 18), (4, 33), (5, 16), (7, 12), (10, 5), (11, 22), (13, 13)] == places
    suggested = [p for p in caught.value.problems if "did you mean" in p.message]
    assert 8 == len(suggested)


def test_a_problem_shows_the_source_line_and_a_caret() -> None:
    """The text form is file:line:column, the message, the line and a caret under the word."""
    with pytest.raises(ScenarioError) as caught:
        load_text(sheet(model="[[{emit-eror: x}]]"), FILE)
    head, source, caret = str(caught.value).splitlines()
    assert head.startswith('sheet.sim.yaml:2:11: error: unknown step "emit-eror"; did you mean')
    assert "    model: [[{emit-eror: x}]]" == source
    assert "    " + " " * 10 + "^" == caret


def test_a_long_line_is_cut_around_the_mistake() -> None:
    """A minified file does not fill the screen; the caret still points at the word."""
    with pytest.raises(ScenarioError) as caught:
        load_text(sheet(model="[[" + '"x", ' * 200 + "{emit-eror: x}]]"), FILE)
    _, source, caret = str(caught.value).splitlines()
    assert len(source) < 130
    assert source[caret.index("^") :].startswith("emit-eror")


def test_a_flood_of_problems_is_counted() -> None:
    """More than fifty problems are not printed one by one."""
    with pytest.raises(ScenarioError) as caught:
        load_text(sheet(model="[[" + "{nope: x}, " * 80 + "]]"), FILE)
    assert 80 == len(caught.value.problems)
    assert "... and 30 more problems" == str(caught.value).splitlines()[-1]


def test_a_mistake_outside_the_matrix_is_said_once() -> None:
    """A problem that every case of the matrix has is one problem."""
    text = sheet(about="{each: [a, b, c]}", tools="{a: {retruns: x}}")
    assert 1 == len(problems_of(text))


def test_a_file_that_is_not_utf8_is_located(tmp_path: Path) -> None:
    """The first bad byte is named with its line and column."""
    path = tmp_path / "latin.sim.yaml"
    path.write_bytes("scenario: a\nabout: caf\xe9\n".encode("latin-1"))
    with pytest.raises(ScenarioError) as caught:
        load_file(path)
    (problem,) = caught.value.problems
    assert (2, 11) == (problem.line, problem.column)
    assert "byte 0xe9 is not UTF-8" in problem.message


def test_a_file_that_cannot_be_read_is_a_scenario_error(tmp_path: Path) -> None:
    """A missing file and a folder are the user's mistake, not a traceback."""
    for path in (tmp_path / "no.sim.yaml", tmp_path):
        with pytest.raises(ScenarioError, match="cannot be read"):
            load_file(path)
