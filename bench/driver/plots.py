# SPDX-License-Identifier: Apache-2.0
"""Draws the results as SVG by matplotlib."""

import io

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot, ticker  # noqa: E402  the back end is chosen first

from . import svg  # noqa: E402
from .result import quartiles  # noqa: E402
from .table import number  # noqa: E402

# The colours of Okabe and Ito, which colour-blind people can distinguish.
COLOURS = ["#009E73", "#7F7F7F", "#D55E00", "#0072B2", "#E69F00", "#CC79A7", "#56B4E9", "#000000", "#F0E442"]
BAR_INCHES = 0.36
WIDTH_INCHES = 7.5


def _draw_case(axis, scale, names, middles, errors, colours):
    """Draws bars. On a logarithmic scale draws points, because such a scale has no zero at which a bar could begin."""
    axis.set_xscale(scale)
    if scale == "linear":
        axis.barh(names, middles, xerr=errors, color=colours, ecolor="#333333", capsize=3)
        axis.set_xlim(left=0)
        return
    for i, (name, middle) in enumerate(zip(names, middles)):
        axis.errorbar([middle], [name], xerr=[[errors[0][i]], [errors[1][i]]], fmt="o",
                      color=colours[i], ecolor="#333333", capsize=3, markersize=9)
    axis.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: number(value)))
    axis.grid(axis="x", color="#DDDDDD")
    axis.set_axisbelow(True)
    axis.set_ylim(-0.6, len(names) - 0.4)


def _bars(result, labels, colours):
    cases = [case for case in result.all_cases() if any(result.values(case, p) for p in result.all_peers())]
    sizes = [sum(1 for p in result.all_peers() if result.values(case, p)) for case in cases]
    figure, axes = pyplot.subplots(
        len(cases), 1, squeeze=False, gridspec_kw={"height_ratios": sizes}, layout="constrained",
        figsize=(WIDTH_INCHES, 0.9 * len(cases) + BAR_INCHES * sum(sizes)))
    for axis, case in zip(axes[:, 0], cases):
        peers = [peer for peer in result.all_peers() if result.values(case, peer)]
        spreads = [quartiles(result.values(case, peer)) for peer in peers]
        middles = [middle for _, middle, _ in spreads]
        errors = [[middle - first for first, middle, _ in spreads],
                  [third - middle for _, middle, third in spreads]]
        _draw_case(axis, result.scale, [result.label_of(peer, labels) for peer in peers], middles, errors,
                   [colours[peer] for peer in peers])
        for i, (middle, (_, _, third)) in enumerate(zip(middles, spreads)):
            axis.annotate(number(middle), (max(third, middle), i), xytext=(6, 0),
                          textcoords="offset points", va="center", fontsize=9)
        axis.margins(x=0.14)
        axis.invert_yaxis()
        axis.set_xlabel(result.unit)
        if len(cases) > 1 or case:
            axis.set_title(case, fontsize=10, loc="left")
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def _lines(result, labels, colours):
    figure, axis = pyplot.subplots(figsize=(WIDTH_INCHES, 4), layout="constrained")
    for peer in result.all_peers():
        cases = [case for case in result.all_cases() if result.values(case, peer)]
        if not cases:
            continue
        at = [float(case.split()[0].replace(",", "")) for case in cases]
        spreads = [quartiles(result.values(case, peer)) for case in cases]
        middles = [middle for _, middle, _ in spreads]
        axis.errorbar(at, middles, yerr=[[m - f for f, m, _ in spreads], [t - m for _, m, t in spreads]],
                      label=result.label_of(peer, labels), color=colours[peer], marker="o", capsize=3)
    axis.set_xscale("log")
    sizes = [float(case.split()[0].replace(",", "")) for case in result.all_cases()]
    axis.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axis.minorticks_off()
    axis.set_xlabel(result.all_cases()[0].split(maxsplit=1)[1])
    axis.set_yscale(result.scale)
    if result.scale == "linear":
        axis.set_ylim(bottom=0)
    else:
        axis.yaxis.set_major_formatter(ticker.LogFormatter())
        axis.yaxis.set_minor_formatter(ticker.LogFormatter())
    axis.set_ylabel(result.unit)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)
    return figure


def draw(result, labels, order, file):
    """Writes the plot. Returns False if there is nothing to plot."""
    if not result.shape or not any(result.values(case, peer)
                                   for case in result.all_cases() for peer in result.all_peers()):
        return False
    peers = list(dict.fromkeys([*order, *result.all_peers()]))
    colours = {peer: COLOURS[i % len(COLOURS)] for i, peer in enumerate(peers)}
    # If the plot has a group for each server, the library's bars are green and all other bars are grey.
    if isinstance(result.reference, dict):
        colours.update({peer: COLOURS[0] if result.reference_of(peer) == peer else COLOURS[1] for peer in peers})
    pyplot.rcParams["svg.fonttype"] = "none"  # keeps texts as texts, and does not draw them as outlines
    figure = (_lines if result.shape == "lines" else _bars)(result, labels, colours)
    figure.suptitle(result.title, fontsize=12, x=0.01, ha="left")
    drawing = io.StringIO()
    figure.savefig(drawing, format="svg")
    pyplot.close(figure)
    file.write_text(svg.compact(drawing.getvalue()))
    return True
