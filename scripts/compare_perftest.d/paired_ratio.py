"""The ratio of two programs that were run in pairs, its 95 % interval, and what follows from it.

A machine that is slow for some seconds makes outliers of the pairs it falls into. So the ratio is the median of the
means of all two logarithms (Hodges and Lehmann 1963), and its interval that of Wilcoxon's signed-rank test, whose
distribution is known exactly: both ask that a pair be as often too high as too low, by as much, which the alternation
gives.
"""

import dataclasses
import functools
import math
import statistics

# Allowed is to be up to 5 % worse than perftest, as far as the interval can tell.
LOWEST_BANDWIDTH_RATIO = 0.95
HIGHEST_LATENCY_RATIO = 1.05

TAIL = 0.025  # of the probability, outside each end of the interval


@dataclasses.dataclass
class PairedRatio:
    pairs: int
    ours_median: float
    theirs_median: float
    ratio: float  # ours / theirs
    low: float  # 0 and infinity: with so few pairs, even the widest interval does not have 95 %
    high: float

    @property
    def has_interval(self) -> bool:
        return self.low > 0

    @property
    def precision(self) -> float:
        """How far the interval's ends are from its middle, as a share."""
        return math.sqrt(self.high / self.low) - 1 if self.has_interval else math.inf


@functools.cache
def outside(pairs: int) -> int:
    """How many of the sorted means lie outside each end of the interval; -1: there is no interval."""
    ways = [1]  # to reach each sum of ranks with the ranks so far, of which each may count or not
    for rank in range(1, pairs + 1):
        ways += [0] * rank
        ways = [count + (ways[total - rank] if total >= rank else 0) for total, count in enumerate(ways)]
    allowed, total = TAIL * 2**pairs, -1
    while (allowed := allowed - ways[total + 1]) >= 0:
        total += 1
    return total


def paired_ratio(pairs: list[tuple[float, float]]) -> PairedRatio:
    """Of at least one pair (ours, theirs)."""
    logs = [math.log(ours / theirs) for ours, theirs in pairs]
    means = sorted((first + second) / 2 for index, first in enumerate(logs) for second in logs[index:])
    cut = outside(len(logs))
    return PairedRatio(
        pairs=len(pairs),
        ours_median=statistics.median(ours for ours, _ in pairs),
        theirs_median=statistics.median(theirs for _, theirs in pairs),
        ratio=math.exp(statistics.median(means)),
        low=math.exp(means[cut]) if cut >= 0 else 0,
        high=math.exp(means[-1 - cut]) if cut >= 0 else math.inf,
    )


def verdict(found: PairedRatio, higher_is_better: bool) -> str:
    if higher_is_better:
        return "ok" if found.low > LOWEST_BANDWIDTH_RATIO else "BELOW"
    return "ok" if found.high < HIGHEST_LATENCY_RATIO else "ABOVE"
