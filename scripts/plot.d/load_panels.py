"""Latency by load: the response times of open loops by the rate that was offered."""

import dataclasses

from matplotlib import lines

from latency_panels import BESIDE, percentiles_of
from log_axis import set_log_scale
from reports import labels_of, number
from size_axis import MARKERS, size_text

SHOWN = {50: "-", 99: "--", 99.9: ":"}  # percentiles and their lines


@dataclasses.dataclass
class Point:
    message_bytes: int
    offered: float  # messages per second
    saturated: bool
    percentiles: dict  # microseconds, of those that are shown


def point_of(result):
    open_loop = result["open_loop"]
    response = open_loop.get("response", {})
    return Point(
        message_bytes=number(result["message_bytes"]),
        offered=number(open_loop["offered_messages_per_second"]),
        saturated=bool(open_loop["saturated"]),
        percentiles={percent: us for percent, us in percentiles_of(response).items() if percent in SHOWN},
    )


def curves_of(series):
    """(label, points by rate) for each message size of each series."""
    several = len({point.message_bytes for one in series for point in one.points}) > 1
    curves = []
    for one, label in zip(series, labels_of(series)):
        for size in sorted({point.message_bytes for point in one.points}):
            points = sorted((p for p in one.points if p.message_bytes == size), key=lambda p: p.offered)
            text = size_text(size) + (" B" if size < 1024 else "")
            curves.append((f"{label}, {text}" if several else label, points))
    return curves


def panels_of(series):
    """The functions that draw a panel, each to be given its axes: a curve has two rates or more."""
    drawn = [points for _, points in curves_of(series) if len(points) > 1] if series else []
    return [draw_by_load] if any(point.percentiles for points in drawn for point in points) else []


def draw_by_load(axes, series):
    curves = [(label, points) for label, points in curves_of(series) if len(points) > 1]
    for index, (label, points) in enumerate(curves):
        for percent, line in SHOWN.items():
            known = [point for point in points if percent in point.percentiles]
            axes.plot(
                [point.offered for point in known],
                [point.percentiles[percent] for point in known],
                label=label if percent == 50 else None,
                color=f"C{index}",
                linestyle=line,
                linewidth=1.6,
                marker=MARKERS[index % len(MARKERS)],
                markersize=5 if percent == 50 else 3,
            )
        saturated = [point.offered for point in points if point.saturated]
        if saturated:  # beyond it there is no steady state, and so no latency
            axes.axvline(saturated[0], color=f"C{index}", linewidth=1, alpha=0.6)
            axes.annotate("saturated", (saturated[0], 1), xycoords=("data", "axes fraction"), rotation=90, fontsize=8,
                          xytext=(-9, -4), textcoords="offset points", va="top")
    axes.set_xlabel("offered rate (messages/s)")
    axes.set_ylabel("response time (µs)")
    rates = [point.offered for _, points in curves for point in points]
    set_log_scale(axes.yaxis, [value for _, points in curves for p in points for value in p.percentiles.values()])
    if max(rates) > 20 * min(rates):
        set_log_scale(axes.xaxis, rates)
    styles = [lines.Line2D([], [], color="0.3", linestyle=line, label=f"p{percent}") for percent, line in SHOWN.items()]
    shown = axes.get_legend_handles_labels()[0] if len(curves) > 1 else []
    axes.legend(handles=[*shown, *styles], **BESIDE)
