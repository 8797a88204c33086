"""Plain async functions under simulated order and time: the kernel without agents and scenarios.

    from simharness.programs import Outside, simulate

    @simulate
    async def test_a_late_reply_is_dropped(outside: Outside) -> None:
        ...

The function is run under many schedules. What the outside does comes at every place at which it
could come; what fails is made small and can be replayed from a code.
"""

from simharness.programs.outside import Outside
from simharness.programs.simulate import Explored, ProgramFailed, explored, simulate

__all__ = ["Explored", "Outside", "ProgramFailed", "explored", "simulate"]
