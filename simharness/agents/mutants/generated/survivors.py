"""Survivors: generated mutants that the suite is known to let pass, with one reason each.

A reason begins with its kind. `Equivalent`: nobody could tell. `Only cost`, `Only words`: nobody is
meant to tell. `Not in the suite`: a test could tell, and the shipped suite does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["SURVIVORS"]

_REASONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Only cost: the wait is begun and ended at once, as a cancel ends what is bounded.": (
        "answering.Answering.back_off: true `not self._cancellation.called`",
    ),
    (
        "Not in the suite: a plain run is compared by what comes of it, not by how its text "
        "is handed over."
    ): (
        "answering.Answering.attempt: delete `attempt.streaming = self.streaming`",
        "loop.ReferenceAgent.one_run: delete `run.turns.answering.streaming = stream`",
    ),
    ("Not in the suite: expectations leave the system prompt out; tests of the loop look at it."): (
        "answering.Answering.request: false `self._system`",
    ),
    "Only words: what the end of a message says that is taken back in the same moment.": (
        ('answering.Answering.taken_back: false `self._contract.retried_attempt == "announced"`'),
        ('answering.Answering.taken_back: true `self._contract.retried_attempt == "announced"`'),
        (
            "answering.Answering.taken_back: false `announced and isinstance(ending, Broken) "
            "and self.tried_agai...`"
        ),
        (
            "answering.Answering.taken_back: without announced in `announced and "
            "isinstance(ending, Broken) and self.tried_agai...`"
        ),
        (
            "answering.Answering.taken_back: without isinstance(ending, Broken) in "
            "`announced and isinstance(ending, Broken) and self.tried_agai...`"
        ),
        (
            "answering.Answering.taken_back: without self.tried_again(ending.error, attempt) "
            "in `announced and isinstance(ending, Broken) and self.tried_agai...`"
        ),
        (
            'answering.Answering.taken_back: delete `return assistant(f"{which} failed: '
            "{ending.error}; it will b...`"
        ),
    ),
    (
        "Not in the suite: how much was ignored is for whoever debugs a provider; tests of "
        "the assembler count it."
    ): (
        "assembler.Assembler.add: false `not taken`",
        "assembler.Assembler.add: true `not taken`",
        "assembler.Assembler.add: delete `self.ignored += 1`",
    ),
    (
        "Not in the suite: a block without text beside others shows in no expectation; tests "
        "of the assembler look for it."
    ): (
        'assembler.Assembler.blocks: true `b.kind == "call" or b.text`',
        'assembler.Assembler.blocks: true `b.kind == "call"`',
    ),
    (
        "Not in the suite: a scenario gives every block of text an index of its own, so that "
        "no mark and no delta meets one that is open or closed already; tests of the "
        "assembler do."
    ): (
        "assembler.Assembler._add: delete `return self._start(chunk.kind, chunk.index)`",
        "assembler.Assembler._start: false `known is not None and not known.closed`",
        "assembler.Assembler._start: false `known is not None`",
        "assembler.Assembler._start: false `not known.closed`",
        "assembler.Assembler._start: true `known is not None and not known.closed`",
        "assembler.Assembler._start: true `not known.closed`",
        (
            "assembler.Assembler._start: without not known.closed in `known is not None and "
            "not known.closed`"
        ),
        "assembler.Assembler._start: delete `return False`",
        "assembler.Assembler._start: delete `self._open(kind, index)`",
        "assembler.Assembler._start: delete `return True`",
        "assembler.Assembler._end: false `known is None or known.closed`",
        "assembler.Assembler._end: true `known is None or known.closed`",
        ("assembler.Assembler._end: without known is None in `known is None or known.closed`"),
        ("assembler.Assembler._end: without known.closed in `known is None or known.closed`"),
        "assembler.Assembler._grow: false `block.closed`",
        "assembler.Assembler._grow: delete `return False`",
    ),
    (
        "Equivalent: for a chunk that shows nothing nobody asks whether it was taken, but "
        "for the count of what was ignored."
    ): (
        "assembler.Assembler._add: delete `return False`",
        "assembler.Assembler._add: delete `return True`",
        "assembler.Assembler._end: delete `return False`",
        "assembler.Assembler._end: delete `return True`",
    ),
    ("Not in the suite: the times at which pieces of arguments came stand in no expectation."): (
        "assembler.Assembler._grow_call: delete `return True`",
    ),
    "Equivalent: what is no decision lets pass as well.": (
        "calling.HookCalls.decision: true `isinstance(answer, Decision)`",
    ),
    ("Not in the suite: expectations look at what is stored, and a note for one request is not."): (
        (
            "calling.HookCalls.ask_ahead: delete `return tuple(answer for answer in answers "
            "if isinstance(answ...`"
        ),
        "calling.HookCalls.ask_ahead: false `isinstance(answer, str)`",
        "calling.HookCalls.ask_ahead: true `isinstance(answer, str)`",
    ),
    "Not in the suite: no scenario cancels with an empty reason.": (
        "cancelling.Cancellation.set: without 'user' in `reason or \"user\"`",
    ),
    "Not in the suite: no script raises a TimeoutError of its own.": (
        "cancelling.Cancellation.bounded: false `not scope.expired()`",
        "cancelling.Cancellation.bounded: delete `raise`",
    ),
    "Not in the suite: nothing that is awaited there cancels itself.": (
        "cancelling.Cancellation.bounded: false `not self.by_task`",
        (
            'cancelling.Cancellation.bounded: delete `raise RuntimeError("what was awaited '
            'cancelled itself") from...`'
        ),
    ),
    (
        "Equivalent: what the loop makes of an exception there is what it makes of a cancel, "
        "once the run is cancelled."
    ): ("cancelling.Cancellation.bounded: true `not self.by_task`",),
    "Only cost: a timer that cancels a task which has ended does nothing.": (
        "cancelling.Cancellation.patiently: delete `for timer in timers: timer.cancel()`",
        "cancelling.Cancellation.patiently: delete `timer.cancel()`",
    ),
    ("Not in the suite: what is run there catches whatever a tool, a stream or a log raises."): (
        "cancelling.Cancellation.patiently: false `not task.cancelled()`",
        (
            "cancelling.Cancellation.patiently: delete `for error in filter(None, errors): "
            "raise error`"
        ),
        "cancelling.Cancellation.patiently: delete `raise error`",
    ),
    "Not in the suite: the times of the chunks of a cut stream stand in no expectation.": (
        "journal.Journal.keep: false `message.interrupted`",
        "journal.Journal.keep: true `message.interrupted`",
        "stream.Attempt.timed: delete `return tuple(self._timed)`",
        "stream.Attempt.take: delete `self.note_time(chunk)`",
    ),
    (
        "Not in the suite: that usage nobody reported is absent is judged row by row, not in "
        "the sum of a run."
    ): ("journal.Journal.usage_since: true `counted`",),
    "Not in the suite: no scenario continues while a run is in progress.": (
        "loop.ReferenceAgent.continue_: delete `await self.admit()`",
    ),
    (
        "Not in the suite: what a scenario asks for in vain makes it not applicable, which "
        "is no failure."
    ): (
        "loop.ReferenceAgent.configure: delete `return unknown`",
        "loop.ReferenceAgent.script_hooks: delete `return unknown`",
    ),
    "Not in the suite: an agent may leave open what its exception stands for.": (
        "loop.ReferenceAgent.outcome_of: delete `return Outcome.FAILED`",
    ),
    "Only words: the reason that a run gives whose place a later prompt takes.": (
        'loop.ReferenceAgent.make_room: false `policy == "rollback"` (2)',
    ),
    (
        "Not in the suite: whether a cancelled run raises or returns is told by the agent "
        "itself, and both are judged alike; tests of the loop look at it."
    ): (
        "loop.ReferenceAgent.serve: false `end.outcome is Outcome.CANCELLED`",
        (
            "loop.ReferenceAgent.serve: false `run.cancellation.by_task and end.outcome is "
            "Outcome.CANCELLE...`"
        ),
        "loop.ReferenceAgent.serve: delete `raise asyncio.CancelledError(end.cause)`",
    ),
    (
        "Not in the suite: whether a failed run raises or returns is told by the agent "
        "itself, and both are judged alike; tests of the loop look at it."
    ): (
        "loop.ReferenceAgent.serve: false `end.error is not None`",
        "loop.ReferenceAgent.serve: delete `raise end.error`",
    ),
    "Equivalent: it is asked only when something waits.": (
        "queues.Queues.take_follow_up: true `self._follow_ups`",
    ),
    (
        "Not in the suite: no expectation depends on how far the second jitter differs from "
        "the first."
    ): ("retry.Retry._chance: true `self._random is None`",),
    "Only cost: a message without calls comes out as it went in.": (
        "sendable.with_unique_ids: false `not message.calls`",
        "sendable.with_unique_ids: delete `return message`",
        "sendable.with_parsable_args: false `not message.calls`",
        "sendable.with_parsable_args: delete `return message`",
    ),
    (
        "Not in the suite: expectations look at what is stored, and a note for one request "
        "is not; tests of the loop look at it."
    ): (
        'sendable.with_notes: false `message.role == "user"`',
        'sendable.with_notes: true `message.role == "user"`',
        "sendable.with_notes: false `not places`",
        "sendable.with_notes: true `not notes or not places`",
        "sendable.with_notes: true `not places`",
        "sendable.with_notes: without not places in `not notes or not places`",
    ),
    "Only cost: a request without notes comes out as it went in.": (
        "sendable.with_notes: false `not notes or not places`",
        "sendable.with_notes: false `not notes`",
        "sendable.with_notes: without not notes in `not notes or not places`",
        "sendable.with_notes: delete `return tuple(history)`",
    ),
    "Only words: how a fresh id reads.": (
        "sendable._fresh: without 'call' in `wanted or \"call\"`",
        'sendable._fresh: without wanted in `wanted or "call"`',
    ),
}

SURVIVORS: Final[Mapping[str, str]] = {
    change: reason for reason, changes in _REASONS.items() for change in changes
}
"""The reason of each, by the name of the change."""
