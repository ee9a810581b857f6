"""The figure: the panels of bandwidth, of latency and of latency by load, with one title and one footer."""

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402  (the backend comes first)

import bandwidth_panels  # noqa: E402
import latency_panels  # noqa: E402
import load_panels  # noqa: E402
from reports import UnfitFile, footer_of, title_of  # noqa: E402

STYLE = {
    "figure.facecolor": "white",
    "font.size": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "0.88",
    "svg.hashsalt": "rdmabench",  # the same report gives the same file
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}
WIDTH_INCHES, PANEL_INCHES = 8, 3.5


def save(figure, output):
    metadata = {"Date": None} if output.suffix == ".svg" else None
    try:
        figure.savefig(output, dpi=150, metadata=metadata)
    except OSError as error:
        raise UnfitFile(f"cannot write {output}: {error.strerror}") from error


def draw_panels(axes, bandwidth, latency, by_load):
    if bandwidth:
        upper, lower = axes[: bandwidth_panels.PANELS]
        lower.sharex(upper)
        upper.label_outer()
        bandwidth_panels.draw_panels(upper, lower, bandwidth)
        axes = axes[bandwidth_panels.PANELS :]
    drawn = [(draw_panel, latency) for draw_panel in latency_panels.panels_of(latency)]
    drawn += [(draw_panel, by_load) for draw_panel in load_panels.panels_of(by_load)]
    for panel, (draw_panel, series) in zip(axes, drawn):
        draw_panel(panel, series)


def panel_count(bandwidth, latency, by_load):
    by_size = bandwidth_panels.PANELS if bandwidth else 0
    return by_size + len(latency_panels.panels_of(latency)) + len(load_panels.panels_of(by_load))


def draw(reports, bandwidth, latency, by_load, output):
    title, devices = title_of(reports, [*bandwidth, *latency, *by_load])
    rows = panel_count(bandwidth, latency, by_load)
    with pyplot.rc_context(STYLE):
        figure, grid = pyplot.subplots(
            rows, 1, squeeze=False, figsize=(WIDTH_INCHES, PANEL_INCHES * rows), layout="constrained"
        )
        axes = list(grid[:, 0])
        try:
            figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
            axes[0].set_title(title, loc="left", fontsize=13, fontweight="bold", pad=24)
            axes[0].text(0, 1.03, devices, transform=axes[0].transAxes, color="0.35")
            draw_panels(axes, bandwidth, latency, by_load)
            figure.supxlabel(footer_of(reports), x=0.99, ha="right", fontsize=8, color="0.4")
            save(figure, output)
        finally:
            pyplot.close(figure)
