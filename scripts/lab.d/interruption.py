"""Turns signals into an exception, so that a lab that is half up is taken down by the same code as after an error."""

import contextlib
import signal
from collections.abc import Iterator


class Interrupted(Exception):
    def __init__(self, number: int):
        super().__init__(number)
        self.signal = signal.Signals(number)


_watched: tuple[signal.Signals, ...] = ()


def _raise(number: int, _frame: object) -> None:
    raise Interrupted(number)


def raise_on_signals(*numbers: signal.Signals) -> None:
    """From now on each of these signals raises Interrupted in the main thread."""
    global _watched
    _watched = numbers
    for number in numbers:
        signal.signal(number, _raise)


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Holds the signals back while a process has been started and is not yet written down."""
    arrived: list[int] = []
    previous = {number: signal.signal(number, lambda n, _: arrived.append(n)) for number in _watched}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if arrived:
        raise Interrupted(arrived[0])


def ignore_signals() -> None:
    """Taking a lab down is short and must be finished."""
    for number in _watched:
        signal.signal(number, signal.SIG_IGN)


def heed_signals() -> None:
    """Again, after ignore_signals()."""
    raise_on_signals(*_watched)
