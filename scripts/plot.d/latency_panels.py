"""Latency by message size, by percentile, and as a distribution: a panel each, as far as there are figures for it."""

import dataclasses
import math

from matplotlib import lines, ticker

from log_axis import set_log_scale
from reports import labels_of, number
from size_axis import MARKERS, set_size_axis, size_text

BY_SIZE = {50: "-", 99: "--", 99.9: ":"}  # percentiles in the panel of sizes, and their lines
MOST_CURVES = 8  # more cannot be told from each other
BESIDE = {"loc": "upper left", "bbox_to_anchor": (1, 1), "fontsize": 9, "title_fontsize": 9}  # a legend hides no curve
BASES = {"half_round_trip": "half a round trip", "round_trip": "a round trip"}


@dataclasses.dataclass
class Point:
    message_bytes: int
    basis: str
    percentiles: dict  # microseconds, rising
    distribution: list  # (microseconds, share of the samples that took no longer), rising


@dataclasses.dataclass
class Curve:
    """The percentiles and the distribution of one message size."""

    label: str
    point: Point


def point_of(result):
    latency = result["latency"]
    return Point(
        message_bytes=number(result["message_bytes"]),
        basis=BASES[latency["basis"]],
        percentiles=percentiles_of(latency),
        distribution=distribution_of(latency.get("histogram", [])),
    )


def percentiles_of(latency):
    """Microseconds by percent."""
    percentiles = {number(one["percent"]): number(one["ns"]) / 1000 for one in latency.get("percentiles", [])}
    for percent in percentiles:
        if not 0 < percent < 100:
            raise ValueError(f"{percent!r} where a percentile belongs")
    return percentiles


def distribution_of(histogram):
    """The samples of a bucket are taken to be spread evenly over it."""
    total = sum(number(count) for _, _, count in histogram)
    if total == 0:
        return []
    below, corners = 0, []
    for start_ns, end_ns, count in histogram:
        corners.append((number(start_ns) / 1000, below / total))
        below += count
        corners.append((number(end_ns) / 1000, below / total))
    return corners


def panels_of(series):
    """The functions that draw a panel, each to be given its axes."""
    points = [point for one in series for point in one.points]
    panels = []
    if any(percentile in point.percentiles for point in points for percentile in BY_SIZE):
        panels.append(draw_by_size)
    if any(point.percentiles for point in points):
        panels.append(draw_by_percentile)
    if any(point.distribution for point in points):
        panels.append(draw_distribution)
    return panels


def axis_label(series):
    """What a latency is: it depends on the test."""
    tests = {}
    for one in series:
        for point in one.points:
            tests.setdefault(point.basis, set()).add(one.traits["test"])
    if len(tests) == 1:
        return f"latency (µs), {next(iter(tests))}"
    return "latency (µs)\n" + "\n".join(f"{', '.join(sorted(names))}: {basis}" for basis, names in tests.items())


def draw_by_size(axes, series):
    for index, (one, label) in enumerate(zip(series, labels_of(series))):
        for percentile, line in BY_SIZE.items():
            points = [point for point in one.points if percentile in point.percentiles]
            axes.plot(
                [point.message_bytes for point in points],
                [point.percentiles[percentile] for point in points],
                label=label if percentile == 50 else None,
                color=f"C{index}",
                linestyle=line,
                linewidth=1.6,
                marker=MARKERS[index % len(MARKERS)],
                markersize=5 if percentile == 50 else 3,
            )
    axes.set_ylabel(axis_label(series))
    set_log_scale(axes.yaxis, [value for one in series for point in one.points for value in point.percentiles.values()])
    set_size_axis(axes, series)
    styles = [lines.Line2D([], [], color="0.3", linestyle=line, label=f"p{p}") for p, line in BY_SIZE.items()]
    shown = axes.get_legend_handles_labels()[0] if len(series) > 1 else []
    axes.legend(handles=[*shown, *styles], **BESIDE)


def nines(percentile):
    """50 → 0.3, 90 → 1, 99 → 2: the tail gets the room that it needs."""
    return -math.log10(1 - percentile / 100)


def curves_of(series, has_data):
    """One for each message size; of too many, some that are spread over all, and the words that say so."""
    curves = []
    for one, label in zip(series, labels_of(series)):
        for point in one.points:
            size = size_text(point.message_bytes) + (" B" if point.message_bytes < 1024 else "")
            curves.append(Curve(f"{label}, {size}" if len(series) > 1 else size, point))
    curves = [curve for curve in curves if has_data(curve.point)]
    if len(curves) <= MOST_CURVES:
        return curves, None
    last = len(curves) - 1
    spread = [curves[round(index * last / (MOST_CURVES - 1))] for index in range(MOST_CURVES)]
    return spread, f"{MOST_CURVES} of {len(curves)} curves"


def draw_by_percentile(axes, series):
    curves, which = curves_of(series, lambda point: point.percentiles)
    for index, curve in enumerate(curves):
        axes.plot(
            [nines(percentile) for percentile in curve.point.percentiles],
            list(curve.point.percentiles.values()),
            label=curve.label,
            marker=MARKERS[index % len(MARKERS)],
            markersize=5,
            linewidth=1.6,
        )
    percents = sorted({percentile for curve in curves for percentile in curve.point.percentiles})
    axes.xaxis.set_major_locator(ticker.FixedLocator([nines(percentile) for percentile in percents]))
    axes.xaxis.set_major_formatter(ticker.FixedFormatter([f"{percentile:.10g}" for percentile in percents]))
    axes.set_xlim(nines(percents[0]) - 0.15, nines(percents[-1]) + 0.15)
    axes.set_xlabel("percentile")
    axes.set_ylabel(axis_label(series))
    set_log_scale(axes.yaxis, [value for curve in curves for value in curve.point.percentiles.values()])
    axes.legend(title=which, **BESIDE)


def draw_distribution(axes, series):
    curves, which = curves_of(series, lambda point: point.distribution)
    for curve in curves:
        axes.plot(*zip(*curve.point.distribution), label=curve.label, linewidth=1.6)
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("share of samples at or below")
    axes.set_xlabel(axis_label(series))
    set_log_scale(axes.xaxis, [value for curve in curves for value, _ in curve.point.distribution])
    axes.legend(title=which, **BESIDE)
