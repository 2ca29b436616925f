"""The picture of the house, from the rows that the architecture's test holds and from the imports.

`python docs/house.py` writes docs/house.svg: a box for each part of core, above those that it
imports, and a line for each import that no other way down implies.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.test_architecture import (
    ROWS,
    imported_parts,
    parsed,
    part_of,
    python_files,
)

PICTURE = ROOT / "docs" / "house.svg"
WIDTH, HEIGHT, GAP, FLOOR = 118, 30, 14, 74
INK, PAPER, LINE = "#1f2933", "#f5f7fa", "#7b8794"
TOP = "app, pages"


def imports() -> dict[str, set[str]]:
    """For each part of core the parts that it imports, but for those that these import."""
    found: dict[str, set[str]] = {TOP: {"studio", "reporting"}}
    for path in python_files():
        here = part_of(path)
        found.setdefault(here, set()).update(imported_parts(path, parsed(path)) - {here})

    def below(name: str) -> set[str]:
        return found.get(name, set()).union(*map(below, found.get(name, set())))

    return {name: others - set().union(*map(below, others)) for name, others in found.items()}


def places() -> dict[str, tuple[float, float]]:
    """The middle of each box; the highest row is that of the pages, each row is centred."""
    rows = [[TOP], *(sorted(row) for row in reversed(ROWS) if row != {"__main__"})]
    widest = max(map(len, rows)) * (WIDTH + GAP)
    return {
        name: (
            (widest - len(row) * (WIDTH + GAP) + GAP) / 2 + place * (WIDTH + GAP) + WIDTH / 2,
            floor * FLOOR + HEIGHT,
        )
        for floor, row in enumerate(rows)
        for place, name in enumerate(row)
    }


def picture() -> str:
    """The picture as SVG."""
    at = places()
    width = max(x for x, _ in at.values()) + WIDTH / 2 + GAP
    height = max(y for _, y in at.values()) + HEIGHT
    lines = [
        f'<path d="M{at[above][0]:g} {at[above][1] + HEIGHT / 2:g} '
        f'L{at[below][0]:g} {at[below][1] - HEIGHT / 2:g}"/>'
        for above, others in sorted(imports().items())
        for below in sorted(others)
        if above in at
    ]
    boxes = [
        f'<rect x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" width="{WIDTH}" '
        f'height="{HEIGHT}" rx="5"/>'
        for x, y in at.values()
    ]
    names = [f'<text x="{x:g}" y="{y + 4:g}">{name}</text>' for name, (x, y) in at.items()]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'font-family="sans-serif" font-size="12" text-anchor="middle">',
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            f'<g fill="none" stroke="{LINE}" stroke-width="1">',
            *lines,
            "</g>",
            f'<g stroke="{INK}" fill="white">',
            *boxes,
            "</g>",
            f'<g fill="{INK}">',
            *names,
            "</g>",
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
