"""Pictures of one size in rows and columns with titles, as one PNG of few colours."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.image import imread
from PIL import Image

from environment import ROOT

sys.path.insert(0, str(ROOT))

from voxel_carve.formats import replacing

HEAD, SIDE, GAP = 44, 56, 6  # pixels: above all rows, to the left of rows that have titles, between pictures
FONT_SIZE, SMALL = 15, 10
COLOURS = 192


def write_sheet(
    pictures: Sequence[Sequence[Path]],
    columns: Sequence[str],
    output: Path,
    rows: Sequence[str] = (),
    captions: Sequence[Sequence[str]] = (),
) -> None:
    """Write rows of pictures, each column under its title.

    Args:
        pictures: the files of each row.
        columns: the titles.
        output: the PNG.
        rows: titles beside the rows; none if empty.
        captions: what stands in the corner of each picture; nothing if empty.
    """
    images = [[imread(picture) for picture in row] for row in pictures]
    height, width = images[0][0].shape[:2]
    side = SIDE if rows else 0
    across, down = side + len(columns) * (width + GAP) - GAP, HEAD + len(images) * (height + GAP) - GAP
    figure = Figure(figsize=(across / 100, down / 100), dpi=100, facecolor="white")
    for row, line in enumerate(images):
        top = HEAD + row * (height + GAP)
        for column, image in enumerate(line):
            left = side + column * (width + GAP)
            axes = figure.add_axes((left / across, 1 - (top + height) / down, width / across, height / down))
            axes.imshow(image, interpolation="none", aspect="auto")
            axes.set_axis_off()
            if captions:
                axes.text(6, height - 8, captions[row][column], fontsize=SMALL, color="white")
            if row == 0:
                axes.set_title(columns[column], fontsize=FONT_SIZE, pad=10)
        if rows:
            middle = (SIDE - GAP) / 2 / across, 1 - (top + height / 2) / down
            figure.text(*middle, rows[row], rotation=90, ha="center", va="center", fontsize=FONT_SIZE - 2)
    with io.BytesIO() as whole:
        figure.savefig(whole, format="png")
        few_colours = Image.open(whole).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        with replacing(output, overwrite=True) as beside:
            few_colours.save(beside, optimize=True)
