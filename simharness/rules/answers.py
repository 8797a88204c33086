"""Which calls a model made in an answer, and whether the agent has to heed that answer.

Nothing here judges.
"""

from __future__ import annotations

from simharness.rules.asked import restarted, told_at
from simharness.rules.reading import NEVER, Facts
from simharness.trace import ChunkTaken, RequestMade, TerminalTaken

__all__ = ["calls_of", "heeded"]


def calls_of(facts: Facts, request: RequestMade) -> dict[str, str]:
    """The calls of one answer: id to name. What comes behind its reported end is none of it."""
    end = facts.terminal(request)
    last = NEVER if end is None else end.n
    back = _taken_back(facts, request)
    return {
        chunk.call_id: chunk.name
        for chunk in facts.taken(request.run, request.request)
        if chunk.kind == "args" and chunk.n < last and chunk.call_id not in back
    }


def _taken_back(facts: Facts, request: RequestMade) -> set[str]:
    """The ids of calls that a stream had begun when it began anew.

    A piece that comes for one of them later bears neither name nor id: whose it is nobody knows.
    """
    anew = facts.begun_anew(request.run, request.request)
    return {
        chunk.call_id
        for chunk in (facts.trace.of(ChunkTaken, request.run) if anew else ())
        if chunk.kind == "args" and chunk.request == request.request and chunk.n < anew
    }


def heeded(facts: Facts, request: RequestMade) -> TerminalTaken | None:
    """The end of an answer that the agent has to heed; None if there is none.

    An agent gives a stream up for its silence, say. What it then takes from it comes too late, be
    it said in answer to that or under way already. Behind its end a stream that is still read may
    be given up for another one, which says it all anew.
    """
    told = told_at(facts, request)
    end = facts.natural_end(request, NEVER if told is None else told)
    return None if end is None or restarted(facts, request) else end
