"""Axes with a logarithmic scale and plain numbers: "text.parse_math" is off, so a power of ten would show as TeX."""

from matplotlib import ticker


def plain(value, _position=None):
    return f"{value:g}"


class PlainMinor(ticker.LogFormatter):
    """Labels the ticks that LogFormatter chooses to label."""

    def __call__(self, value, position=None):
        return plain(value) if super().__call__(value, position) else ""


def set_log_scale(axis, values):
    if all(value > 0 for value in values):
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        axis.set_major_formatter(ticker.FuncFormatter(plain))
        # Within one power of ten, the ticks at 2, 5 and so on are all there is to read.
        narrow = max(values) < 30 * min(values)
        axis.set_minor_formatter(PlainMinor(minor_thresholds=(2, 0.5)) if narrow else ticker.NullFormatter())
