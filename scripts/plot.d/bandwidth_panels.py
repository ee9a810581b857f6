"""Bandwidth and message rate by message size: two panels that share the axis of sizes."""

import dataclasses

from log_axis import set_log_scale
from reports import labels_of, number
from size_axis import MARKERS, set_size_axis

PANELS = 2


@dataclasses.dataclass
class Point:
    message_bytes: int
    gbps: float
    rate: float  # messages per second
    relative_error: tuple | None  # how far the ends of the 95 % interval are from the mean


def point_of(result):
    bandwidth = result["bandwidth"]
    mean = number(bandwidth["bytes_per_second"])
    relative_error = None
    if "ci95_low_bytes_per_second" in bandwidth and mean > 0:
        low = bandwidth["ci95_low_bytes_per_second"] / mean  # may be below zero
        high = number(bandwidth["ci95_high_bytes_per_second"]) / mean
        relative_error = (max(0.0, 1 - low), max(0.0, high - 1))
    return Point(
        message_bytes=number(result["message_bytes"]),
        gbps=mean * 8 / 1e9,
        rate=number(bandwidth["messages_per_second"]),
        relative_error=relative_error,
    )


def draw_panel(axes, series, labels, value_of):
    for index, (one, label) in enumerate(zip(series, labels)):
        values = [value_of(point) for point in one.points]
        bars = [point.relative_error or (0, 0) for point in one.points]
        errors = [[value * bar[end] for value, bar in zip(values, bars)] for end in (0, 1)]
        axes.errorbar(
            [point.message_bytes for point in one.points],
            values,
            yerr=errors if any(map(any, errors)) else None,
            label=label,
            marker=MARKERS[index % len(MARKERS)],
            markersize=5,
            linewidth=1.6,
            capsize=3,
        )


def rate_unit(series):
    """The divisor and the name that keep the largest rate readable."""
    largest = max(point.rate for one in series for point in one.points)
    for divisor, name in ((1e6, "million messages/s"), (1e3, "thousand messages/s")):
        if largest >= divisor:
            return divisor, name
    return 1, "messages/s"


def draw_panels(upper, lower, series):
    labels = labels_of(series)
    divisor, unit = rate_unit(series)
    draw_panel(upper, series, labels, lambda point: point.gbps)
    draw_panel(lower, series, labels, lambda point: point.rate / divisor)
    upper.set_ylabel("bandwidth (Gb/s)")
    upper.set_ylim(bottom=0)
    lower.set_ylabel(f"message rate ({unit})")
    set_log_scale(lower.yaxis, [point.rate / divisor for one in series for point in one.points])
    set_size_axis(lower, series)
    if len(series) > 1:
        upper.legend(loc="best", fontsize=9)
