"""The axis of message sizes, which panels of bandwidth and of latency have alike."""

from matplotlib import ticker

MARKERS = "osD^vPX*"


def size_text(message_bytes, _position=None):
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if message_bytes >= scale:
            return f"{message_bytes / scale:.4g} {unit}"
    return f"{message_bytes:g}"


def set_size_axis(axes, series):
    sizes = sorted({point.message_bytes for one in series for point in one.points})
    axes.set_xscale("log", base=2)
    axes.set_xlim(max(sizes[0], 1) / 1.5, max(sizes[-1], 1) * 1.5)
    if len(sizes) <= 12:
        axes.xaxis.set_major_locator(ticker.FixedLocator(sizes))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(size_text))
    axes.tick_params(axis="x", rotation=30 if len(sizes) > 8 else 0)
    axes.set_xlabel("message size (bytes)")
