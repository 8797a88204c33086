"""Survivors: generated mutants that the suite is known to let pass, with one reason each.

A reason begins with its kind. `Equivalent`: nobody could tell. `Only cost`, `Only words`: nobody is
meant to tell. `Not in the suite`: a test could tell, and the shipped suite does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["SURVIVORS"]

_REASONS: Final[Mapping[str, tuple[str, ...]]] = {
    (
        "Not in the suite: no scenario cancels a waiting prompt in the very moment in "
        "which it is let in, or in which the run before it ends."
    ): (
        "admission.Admission._give_up: true `place in self._line`",
        "admission.Admission._give_up: false `not place.cancelled()`",
        "admission.Admission._give_up: true `not place.cancelled()`",
        "admission.Admission._give_up: delete `self.leave()`",
        "admission.Admission.leave: true `not place.cancelled()`",
    ),
    "Not in the suite: no scenario gives up the stream of a repeated attempt.": (
        "answering.Answering.ask: delete `self._tried = 0` (2)",
    ),
    (
        "Equivalent: but where a contract wants a message of an empty cancel, a cancel "
        "outranks a failure when the run ends."
    ): (
        "answering.Answering.ask: false `self.overtaken(answer)`",
        "answering.Answering.overtaken: false `answer.message is None`",
        "answering.Answering.overtaken: true `answer.message is None`",
        (
            "answering.Answering.overtaken: without answer.message is None in "
            "`isinstance(answer.ending, Broken) and answer.message is None`"
        ),
        (
            "answering.Answering.overtaken: delete `return left_nothing and not "
            "self.failed(answer.ending)`"
        ),
        "answering.Answering.overtaken: false `not self.failed(answer.ending)`",
    ),
    ("Only cost: the wait is begun and ended at once, as a cancel ends what is bounded."): (
        "answering.Answering.back_off: true `not self._cancellation.called`",
        "guarding.Guard.wait: true `not self._cancellation.called`",
    ),
    (
        "Not in the suite: a plain run is compared by what comes of it, not by how its "
        "text is handed over."
    ): (
        "answering.Answering.attempt: delete `attempt.streaming = self.streaming`",
        "loop.ReferenceAgent.one_run: delete `run.turns.answering.streaming = stream`",
        "stream.Attempt._read: false `not self.streaming`",
        "stream.Attempt._read: delete `return`",
    ),
    (
        "Not in the suite: no scenario of the profile that empties cut messages cuts one "
        "that has shown something beside one that has not."
    ): (
        "answering.Answering.kept_empty: false `attempt.assembler.interrupted_blocks()`",
        "answering.Answering.kept_empty: true `attempt.assembler.interrupted_blocks()`",
        ('answering.Answering.kept_empty: delete `return self._contract.cut_message == "emptied"`'),
    ),
    "Equivalent: a stream that was given up leaves nothing before this is asked.": (
        "answering.Answering.kept_empty: delete `return False`",
    ),
    ("Only words: what the end of a message says that is taken back in the same moment."): (
        ('answering.Answering.taken_back: false `self._contract.retried_attempt == "announced"`'),
        ('answering.Answering.taken_back: true `self._contract.retried_attempt == "announced"`'),
        (
            "answering.Answering.taken_back: false `announced and isinstance(ending, "
            "Broken) and self.tried_agai...`"
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
            "answering.Answering.taken_back: without self.tried_again(ending.error, "
            "attempt) in `announced and isinstance(ending, Broken) and self.tried_agai...`"
        ),
        (
            'answering.Answering.taken_back: delete `return assistant(f"{which} failed: '
            "{ending.error}; it will b...`"
        ),
    ),
    (
        "Not in the suite: how much was ignored is for whoever debugs a provider; tests "
        "of the assembler count it."
    ): (
        "assembler.Assembler.add: false `not taken`",
        "assembler.Assembler.add: true `not taken`",
        "assembler.Assembler.add: delete `self.ignored += 1`",
    ),
    (
        "Equivalent: for a chunk that shows nothing nobody asks whether it was taken, "
        "but for the count of what was ignored."
    ): (
        "assembler.Assembler._add: delete `return False`",
        "assembler.Assembler._add: delete `return True`",
        "assembler.Assembler._end: delete `return True`",
    ),
    (
        "Not in the suite: a scenario gives every block of text an index of its own, so "
        "that no mark and no delta meets one that is open or closed already; tests of "
        "the assembler do."
    ): (
        "assembler.Assembler._start: delete `return True`",
        ("assembler.Assembler._end: without known.closed in `known is None or known.closed`"),
    ),
    "Equivalent: what is no decision lets pass as well.": (
        "calling.HookCalls.decision: true `isinstance(answer, Decision)`",
    ),
    (
        "Not in the suite: no scenario cancels first and is shut down then where the "
        "first cause counts; tests of the loop look at it."
    ): (
        (
            "cancelling.Cancellation.reason: without self.marks_outrank in "
            "`self.marks_outrank and self._mark`"
        ),
        (
            "loop.ReferenceAgent.new_cancellation: delete `cancellation.marks_outrank = "
            "self.contract.cause_precedence ...`"
        ),
        ('loop.ReferenceAgent.new_cancellation: true `self.contract.cause_precedence != "first"`'),
    ),
    "Not in the suite: no scenario cancels with an empty reason.": (
        "cancelling.Cancellation.set: without 'user' in `reason or \"user\"`",
    ),
    "Equivalent: the mark that is set next is a cancel as well, and outranks it.": (
        "cancelling.Cancellation.mark: delete `self.notice()`",
    ),
    "Not in the suite: no scenario stops one run for two reasons of the framework.": (
        "cancelling.Cancellation.mark: without self._mark in `self._mark or mark`",
    ),
    "Not in the suite: no script raises a TimeoutError of its own.": (
        "cancelling.Cancellation.bounded: false `not scope.expired()`",
        "cancelling.Cancellation.bounded: delete `raise`",
        "silence.Silence.bounded: false `not scope.expired()`",
        "silence.Silence.bounded: delete `raise`",
    ),
    "Not in the suite: nothing that is awaited there cancels itself.": (
        "cancelling.Cancellation.bounded: false `not self.by_task`",
        (
            'cancelling.Cancellation.bounded: delete `raise RuntimeError("what was awaited '
            'cancelled itself") from...`'
        ),
    ),
    (
        "Equivalent: what follows asks whether the run was called off, and that looks at "
        "the task itself."
    ): (
        "cancelling.Cancellation.bounded: delete `self.notice()`",
        "stream.Attempt._read: delete `self._cancellation.notice()`",
        "stream.Attempt._read_whole: delete `self._cancellation.notice()`",
    ),
    "Only cost: a timer that cancels a task which has ended does nothing.": (
        ("cancelling.Cancellation.patiently: delete `for timer in timers: timer.cancel()`"),
        "cancelling.Cancellation.patiently: delete `timer.cancel()`",
    ),
    (
        "Not in the suite: a coroutine that never began leaves a warning of Python "
        "behind, which no rule looks at; tests of the loop do."
    ): (
        (
            "cancelling.Cancellation.patiently: delete `for one in work: if "
            "inspect.getcoroutinestate(one) == inspec...`"
        ),
        (
            "cancelling.Cancellation.patiently: false `inspect.getcoroutinestate(one) == "
            "inspect.CORO_CREATED`"
        ),
        "cancelling.Cancellation.patiently: delete `await one`",
    ),
    ("Not in the suite: what is run there catches whatever a tool, a stream or a log raises."): (
        "cancelling.Cancellation.patiently: false `not task.cancelled()`",
        (
            "cancelling.Cancellation.patiently: delete `for error in filter(None, errors): "
            "raise error`"
        ),
        "cancelling.Cancellation.patiently: delete `raise error`",
    ),
    (
        "Not in the suite: no scenario cancels a task long after its run began and "
        "bounds something before that is noticed."
    ): ("cancelling.Cancellation._after: true `self._reason`",),
    "Equivalent: what compares a word with a number raises, and so is no line either.": (
        "entries._count: false `not isinstance(said, int)`",
        (
            "entries._count: without not isinstance(said, int) in `not isinstance(said, "
            "int) or said < 0`"
        ),
    ),
    ("Not in the suite: files that the loop has not written; tests of the session read them."): (
        "entries._said: true `deferred`",
        'entries._entry: false `"withdrawn" in said`',
        'entries._entry: delete `return Withdrawn(_count(said["withdrawn"]))`',
        "entries._message_words: true `v`",
        "entries._block_words: true `isinstance(block, kind)`",
        "repair.in_order: true `call_id not in answered`",
        'repair.in_order: true `message.role == "tool"`',
        (
            'repair.in_order: without call_id in places in `message.role == "tool" and '
            "call_id in places and call_id not...`"
        ),
        (
            'repair.in_order: without call_id not in answered in `message.role == "tool" '
            "and call_id in places and call_id not...`"
        ),
        (
            "repair.in_order: without message.role == 'tool' in `message.role == \"tool\" "
            "and call_id in places and call_id not...`"
        ),
        "repair.in_order: delete `answered.add(call_id)`",
        'repair.missing_results: true `message.role == "tool"`',
        "session.Session._tell_of_unreadable: true `from_line(lines[-1]) is None`",
        (
            "session.Session._tell_of_unreadable: without from_line(lines[-1]) is None in "
            '`bool(lines) and not text.endswith("\\n") and from_line(lines[...`'
        ),
        (
            "session.Session._tell_of_unreadable: without bool(line) in `bool(line) and "
            "from_line(line) is None`"
        ),
    ),
    "Equivalent: who cancels the driver stops its run as well.": (
        "ephemeral.Ephemeral.run: true `not self.agent.called_off()`",
    ),
    (
        "Not in the suite: what an ephemeral run still does when its caller was let go "
        "is judged as that run's own."
    ): ("ephemeral.Ephemeral.run: delete `await asyncio.wait([driver])`",),
    (
        "Equivalent: a driver is cancelled by its own caller alone, who waits for its "
        "end and not for its result."
    ): (
        'ephemeral.Ephemeral.drive: delete `self.settle(StoppedError("user"))`',
        "ephemeral.Ephemeral.drive: delete `raise`",
        "ephemeral.Ephemeral.settle: false `self._result.done()`",
        "ephemeral.Ephemeral.settle: delete `return`",
    ),
    "Equivalent: a run that has returned has an end.": (
        "ephemeral.Ephemeral.stopped: false `end is None`",
        (
            "ephemeral.Ephemeral.stopped: without end is None in `end is None or "
            "end.outcome is not Outcome.CANCELLED`"
        ),
    ),
    (
        "Not in the suite: the store of a scenario is written by one session only, and "
        "lines of two beside each other are read as one."
    ): (
        "journal.Journal.__init__: true `stored`",
        (
            "supervising.Supervised.aside: delete `one.journal = "
            "one.journal_type(self.world, stored=False)`"
        ),
    ),
    "Only cost: a session without anything pending settles at once.": (
        "journal.Journal.settle: true `self.session.pending`",
    ),
    (
        "Not in the suite: that usage nobody reported is absent is judged row by row, "
        "not in the sum of a run."
    ): ("journal.Journal.usage_since: true `counted`",),
    "Not in the suite: no scenario continues while a run is in progress.": (
        "loop.ReferenceAgent.continue_: delete `await self.admit()`",
    ),
    (
        "Not in the suite: what a scenario asks for in vain makes it not applicable, "
        "which is no failure."
    ): (
        "loop.ReferenceAgent.configure: delete `return unknown`",
        "loop.ReferenceAgent.script_hooks: delete `return unknown`",
    ),
    "Equivalent: it is asked behind a run, which has an end.": (
        "loop.ReferenceAgent.outcome_of: false `self.latest is None`",
    ),
    (
        "Not in the suite: where the return of a prompt says nothing, the end that is "
        "reported counts."
    ): ("loop.ReferenceAgent.outcome_of: true `self.latest is None`",),
    "Not in the suite: an agent may leave open what its exception stands for.": (
        "loop.ReferenceAgent.outcome_of: delete `return Outcome.FAILED`",
    ),
    "Equivalent: a run is in progress wherever a place is taken.": (
        "loop.ReferenceAgent.meet_second_prompt: true `self._run is not None`",
    ),
    "Only words: the reason that a run gives whose place a later prompt takes.": (
        'loop.ReferenceAgent.make_room: false `policy == "rollback"` (2)',
    ),
    (
        "Not in the suite: nothing that a scenario scripts raises there; what hooks, "
        "tools and streams raise is caught before."
    ): (('loop.ReferenceAgent.one_run: delete `end = End(Outcome.FAILED, "error", error)`'),),
    "Not in the suite: no scenario cancels a continue that has nothing to continue.": (
        ("loop.ReferenceAgent.begin_again: without left in `left or self.journal.history`"),
        "loop.ReferenceAgent.begin_again: false `run.cancellation.called`",
        "loop.ReferenceAgent.begin_again: delete `return run.turns.cancelled()`",
    ),
    "Not in the suite: nothing is queued between the last turn of a run and its end.": (
        "loop.ReferenceAgent.last_word: true `not self.queues.waiting`",
        (
            "loop.ReferenceAgent.last_word: without not self.queues.waiting in "
            "`end.outcome is Outcome.COMPLETED and not self.queues.waiting`"
        ),
    ),
    "Equivalent: it is asked only when something waits.": (
        "queues.Queues.take_follow_up: true `self._follow_ups`",
    ),
    (
        "Not in the suite: no scenario resumes while the runs that a quiesce abandons "
        "come to their end."
    ): ("quiescing.Quiescing.abandon: delete `return`",),
    "Equivalent: nobody else than the one who reads a stream is told to give it up.": (
        "restarting.Restart.set: true `self._scope is not None`",
        (
            "restarting.Restart.set: without self._scope is not None in `self._scope is "
            "not None and not (self.reason or self._cancel...`"
        ),
    ),
    "Equivalent: what the end of a stream means is asked of the cancel first.": (
        (
            "restarting.Restart.set: without self._cancellation.called in `self.reason or "
            "self._cancellation.called`"
        ),
    ),
    (
        "Not in the suite: no expectation depends on how far the second jitter differs "
        "from the first."
    ): ("retry.Retry._chance: true `self._random is None`",),
    (
        "Not in the suite: expectations look at what is stored, and a note for one "
        "request is not; tests of the loop look at it."
    ): ("sendable.with_notes: false `not places`",),
    "Only cost: a request without notes comes out as it went in.": (
        "sendable.with_notes: delete `return tuple(history)`",
    ),
    "Only words: how a fresh id reads.": (
        "sendable._fresh: without 'call' in `wanted or \"call\"`",
        'sendable._fresh: without wanted in `wanted or "call"`',
    ),
    "Equivalent: an id that is empty is never among those that are used.": (
        "sendable._fresh: without name in `name and name not in used`",
    ),
    "Equivalent: a second check finds what the next run would have found.": (
        "session.Session.settle: delete `await self.check()`",
    ),
    "Only cost: it is a loop that has nothing to write to.": (
        "session.Session.write: true `self._store is not None`",
        (
            "session.Session.write: without self._store is not None in `self._unsaved and "
            "self._store is not None`"
        ),
        (
            "session.Session.check: without self._store is None in `self._store is None or "
            "not self._unchecked`"
        ),
        "session.Session.load: false `self._store is None`",
    ),
    "Not in the suite: the stores of scenarios fail with a line, not with a flush.": (
        'session.Session.check: delete `self._tell("store-failed", str(error))`',
        "session.Session.check: delete `return False` (2)",
    ),
    "Only cost: the lines are looked for in the store, and all are there.": (
        "session.Session.check: true `size != self._size + grown`",
        "session.Session.check: delete `self._size = size`",
        "session.Session.load: delete `self._size = len(text)`",
    ),
    "Not in the suite: a newline that ends half a line is missed by nobody.": (
        (
            "session.Session.missing: without line.number in `line.number and line.number "
            "not in held`"
        ),
    ),
    ("Equivalent: a turn that a kill left open is closed by the message behind it as well."): (
        "session.Session.repair: false `self._fold.in_turn`",
        "session.Session.repair: delete `self.note(TurnOver())`",
    ),
    ("Not in the suite: scripts raise errors of providers; tests of the loop raise others."): (
        (
            'stream.Attempt.read: delete `error = ProviderError(f"{type(raised).__name__}: '
            '{raised}")`'
        ),
    ),
    "Not in the suite: no plain answer is silent for long and then goes on.": (
        "stream.Attempt._read_whole: delete `heard()`",
    ),
    (
        "Equivalent: what is wanted is asked twice, and either answer keeps late content "
        "out, unless who hears of a start cancels."
    ): ("stream.Attempt.take: true `self.wanted()`",),
    (
        "Not in the suite: no scenario cancels a run beside the conversation, by its "
        "task, before that run has begun and again behind it."
    ): (
        "supervising.Supervised.called_off: true `self._run is None`",
        "supervising.Supervised.called_off: delete `self._run.cancellation.notice()`",
    ),
    "Equivalent: who reads no stream has none to give up.": (
        "supervising.Supervised.context_restart: true `self._run is not None`",
    ),
    "Equivalent: a caller gets the answer or an exception, which say the same.": (
        "supervising.Supervised.ephemeral: delete `self.latest = one.agent.latest`",
    ),
    "Not in the suite: no scenario observes a run beside the conversation by a hook.": (
        ("supervising.Supervised.aside: delete `one.journal.observers = self.hooks.observer`"),
    ),
    "Only words: an exception without words is told by its kind.": (
        (
            "tools.ToolRunner.body: without type(error).__name__ in `str(error) or "
            "type(error).__name__`"
        ),
    ),
}

SURVIVORS: Final[Mapping[str, str]] = {
    change: reason for reason, changes in _REASONS.items() for change in changes
}
"""The reason of each, by the name of the change."""
