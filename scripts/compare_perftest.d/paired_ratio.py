"""The ratio of two programs that were run in pairs, its 95 % interval, and what follows from it."""

import dataclasses
import math
import statistics

# Allowed is to be up to 5 % worse than perftest, as far as the interval can tell.
LOWEST_BANDWIDTH_RATIO = 0.95
HIGHEST_LATENCY_RATIO = 1.05

# Student's t, 97.5 %, for 1, 2, … degrees of freedom.
SMALL_T = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)


@dataclasses.dataclass
class PairedRatio:
    pairs: int
    ours_median: float
    theirs_median: float
    ratio: float  # ours / theirs: the geometric mean of the pairs' ratios
    low: float
    high: float


def student_t(degrees: int) -> float:
    if degrees <= len(SMALL_T):
        return SMALL_T[degrees - 1]
    # Expansion about the normal quantile (Abramowitz and Stegun 26.7.5).
    z = statistics.NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / degrees + second / degrees**2 + third / degrees**3 + fourth / degrees**4


def paired_ratio(pairs: list[tuple[float, float]]) -> PairedRatio:
    """Of at least two pairs (ours, theirs)."""
    logs = [math.log(ours / theirs) for ours, theirs in pairs]
    mean = statistics.fmean(logs)
    half = student_t(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return PairedRatio(
        pairs=len(pairs),
        ours_median=statistics.median(ours for ours, _ in pairs),
        theirs_median=statistics.median(theirs for _, theirs in pairs),
        ratio=math.exp(mean),
        low=math.exp(mean - half),
        high=math.exp(mean + half),
    )


def verdict(found: PairedRatio, higher_is_better: bool) -> str:
    if higher_is_better:
        return "ok" if found.low > LOWEST_BANDWIDTH_RATIO else "BELOW"
    return "ok" if found.high < HIGHEST_LATENCY_RATIO else "ABOVE"
