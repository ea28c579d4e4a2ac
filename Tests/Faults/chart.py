"""A chart of values over time as SVG, readable on a light and on a dark page."""

WIDTH, HEIGHT = 880, 250
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 34, 34

STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #57606a; }
  .title { font-weight: 600; fill: #24292f; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .line { fill: none; stroke: #0969da; stroke-width: 1.5; }
  .mark { stroke: #bc4c00; stroke-width: 1; stroke-dasharray: 2 3; opacity: 0.6; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; } .title { fill: #f0f6fc; } .grid { stroke: #3d444d; }
    .line { stroke: #4493f8; } .mark { stroke: #f0883e; }
  }
"""


def step(highest):
    """A round distance of grid lines, of which four to eight fit below the highest value."""
    unit = 1
    while True:
        for factor in (1, 2, 5):
            if highest / (unit * factor) <= 8:
                return unit * factor
        unit *= 10


def panel(top, title, points, marks, minutes):
    """One line over time with its grid: `points` and `marks` are in minutes."""
    distance = step(max([1, *(value for _, value in points)]))
    highest = distance * (int(max([1, *(value for _, value in points)]) / distance) + 1)

    def across(minute):
        return LEFT + minute / minutes * (WIDTH - LEFT - RIGHT)

    def down(value):
        return top + TOP + (1 - value / highest) * (HEIGHT - TOP - BOTTOM)

    parts = [f'<text class="title" x="{LEFT}" y="{top + 20}">{title}</text>']
    for value in range(0, highest + 1, distance):
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{down(value):.1f}"'
                     f' y2="{down(value):.1f}"/><text x="{LEFT - 8}" y="{down(value) + 4:.1f}"'
                     f' text-anchor="end">{value}</text>')
    for minute in range(0, int(minutes) + 1, step(minutes)):
        parts.append(f'<text x="{across(minute):.1f}" y="{top + HEIGHT - 14}"'
                     f' text-anchor="middle">{minute} min</text>')
    parts += [f'<line class="mark" x1="{across(minute):.1f}" x2="{across(minute):.1f}"'
              f' y1="{down(highest):.1f}" y2="{down(0):.1f}"/>' for minute in marks]
    line = " ".join(f"{across(minute):.1f},{down(value):.1f}" for minute, value in points)
    parts.append(f'<polyline class="line" points="{line}"/>')
    return "\n".join(parts)


def chart(label, panels, marks, minutes):
    """A picture of some lines, one below the other; `panels` are pairs of title and points."""
    drawn = "\n".join(panel(number * HEIGHT, title, points, marks, minutes)
                      for number, (title, points) in enumerate(panels))
    height = HEIGHT * len(panels)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
            f' aria-label="{label}">\n<style>{STYLE}</style>\n{drawn}\n</svg>\n')
