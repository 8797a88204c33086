"""The retry-safe filter: what a consumer behind it gets to see of each attempt."""

from simharness.agents.profiles.retry_safe import retry_safe

ANSWER = ["MS A(Stop)", "MU", "MU", "ME A(Stop)"]
FAILURE = ["MS A(Stop)", "MU", "ME A(Error)"]


def test_without_a_retry_everything_passes() -> None:
    """Other messages are not held back."""
    events = ["TurnStart", "MS user", "ME user", *ANSWER, "TurnEnd 0", "AgentEnd[user, A(Stop)]"]
    assert events == retry_safe(events)


def test_repeated_attempts_leave_only_the_word_that_they_are_repeated() -> None:
    """However many there are."""
    retried = [*FAILURE, "ProviderRetry"]
    wanted = ["ProviderRetry", "ProviderRetry", *ANSWER]
    assert wanted == retry_safe([*retried, *retried, *ANSWER])


def test_a_final_failure_keeps_its_message_and_not_its_text() -> None:
    """It is known to be final when something else than a retry follows."""
    wanted = ["MS A(Stop)", "ME A(Error)", "TurnEnd 0"]
    assert wanted == retry_safe([*FAILURE, "TurnEnd 0"])
    assert wanted[:2] == retry_safe(FAILURE)


def test_an_attempt_that_never_ends_does_not_pass() -> None:
    """Nobody knows what would have become of it."""
    assert ["TurnStart"] == retry_safe(["TurnStart", "MS A(Stop)", "MU"])


def test_a_cut_attempt_passes_without_its_text() -> None:
    """The attempt in front of it, which was to be repeated, does not."""
    cut = ["MS A(Aborted)", "ME A(Aborted)"]
    assert ["ProviderRetry", *cut, "TurnEnd 0"] == retry_safe(
        [*FAILURE, "ProviderRetry", *cut, "TurnEnd 0"]
    )
