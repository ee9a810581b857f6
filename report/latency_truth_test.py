#!/usr/bin/python3
"""What becomes of known samples, against what numpy and scipy say of the same ones.

Mean, standard deviation and extremes have to agree to the last digits of a double, percentiles within 0.1 %, and an interval has to
hold the order statistics of the binomial distribution's ranks, and be no more than two buckets wider.
"""

import json
import pathlib
import subprocess
import unittest

import numpy
from scipy.stats import binom

BINARY = pathlib.Path("report/latency_of_samples").resolve()  # relative to the workspace, where Bazel starts tests
PERCENTS = [1, 50, 90, 99, 99.9, 99.99, 99.999]
MANY = 10**7
BUCKET = 1 / 1024  # of a value
EXACT = 1e-12
RANDOM = numpy.random.default_rng(1)


def latency_of(samples, parts=1):
    """The latency of a report, as rdmabench computes it."""
    command = [BINARY, str(parts), *map(str, PERCENTS)]
    done = subprocess.run(command, input=samples.astype("<u8").tobytes(), capture_output=True, check=True, timeout=120)
    return json.loads(done.stdout)["results"][0]["latency"]


def alternating(most_ns):
    """1.0 and 1.8 us in turn, and one stall."""
    return numpy.append(numpy.tile([1000, 1800], 50_000), most_ns)


DISTRIBUTIONS = {
    "uniform": lambda: RANDOM.uniform(1, 1e6, MANY),
    "exponential": lambda: 800 + RANDOM.exponential(2000, MANY),
    "lognormal, of all magnitudes": lambda: RANDOM.lognormal(9, 3, MANY),
    "two humps": lambda: numpy.where(RANDOM.random(MANY) < 0.9, RANDOM.normal(1500, 40, MANY), RANDOM.normal(90_000, 3000, MANY)),
    "a heavy tail": lambda: 1000 * (1 + RANDOM.pareto(1.5, MANY)),
    "from a nanosecond to an hour": lambda: 10 ** RANDOM.uniform(0, numpy.log10(3.6e12), MANY),
}


class TruthTest(unittest.TestCase):
    def check(self, latency, samples):
        self.assertEqual(latency["samples"], len(samples))
        self.assertEqual(latency["min_ns"], samples.min())
        self.assertEqual(latency["max_ns"], samples.max())
        exact = samples.astype(numpy.longdouble)
        self.close(latency["mean_ns"], exact.mean(), EXACT)
        self.close(latency["stdev_ns"], exact.std(ddof=1), EXACT)
        in_order = numpy.sort(samples)
        backed = [percent for percent in PERCENTS if len(samples) * min(percent, 100 - percent) / 100 >= 10 - 1e-6]
        self.assertEqual([percentile["percent"] for percentile in latency["percentiles"]], backed)
        for percentile in latency["percentiles"]:
            self.check_percentile(percentile, in_order)

    def check_percentile(self, percentile, in_order):
        share = percentile["percent"] / 100
        self.close(percentile["ns"], numpy.percentile(in_order, 100 * share, method="inverted_cdf"), BUCKET)
        low, high = (int(binom.ppf(tail, len(in_order), share)) for tail in (0.025, 0.975))
        self.assertEqual("ci95_low_ns" in percentile, low >= 1 and high < len(in_order))
        if "ci95_low_ns" in percentile:
            for end, statistic in (("low", in_order[low - 1]), ("high", in_order[high])):
                self.close(percentile[f"ci95_{end}_ns"], statistic, BUCKET)
            self.assertLessEqual(percentile["ci95_low_ns"], in_order[low - 1])
            self.assertGreaterEqual(percentile["ci95_high_ns"], in_order[high])

    def close(self, found, expected, relative):
        self.assertLessEqual(abs(found - float(expected)), relative * float(expected), (found, expected))

    def test_one_stall_among_two_values(self):
        latency = latency_of(alternating(500_000))
        self.check(latency, alternating(500_000))
        self.assertEqual(latency["max_ns"], 500_000)

    def test_that_a_fault_is_found(self):
        for other in (alternating(500_001), numpy.append(alternating(500_000), 1000), alternating(500_000)[1:] + 2):
            with self.assertRaises(AssertionError):
                self.check(latency_of(alternating(500_000)), other)

    def test_many_of_several_distributions(self):
        for name, draw in DISTRIBUTIONS.items():
            with self.subTest(name):
                samples = draw().astype(numpy.uint64)
                self.check(latency_of(samples), samples)

    def test_parts_add_up_to_the_whole(self):
        samples = DISTRIBUTIONS["two humps"]()[:100_000].astype(numpy.uint64)
        self.assertEqual(latency_of(samples, parts=7), latency_of(samples))

    def test_samples_that_differ_by_less_than_a_double_has_digits_for(self):
        samples = 3_600_000_000_000 + RANDOM.integers(0, 3, 100_000).astype(numpy.uint64)
        latency = latency_of(samples)
        self.close(latency["stdev_ns"], (samples - samples.min()).astype(float).std(ddof=1), EXACT)


if __name__ == "__main__":
    unittest.main()
