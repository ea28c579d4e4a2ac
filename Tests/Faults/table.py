"""Tables for people, and the same as JSON for programs."""

import json

COLUMNS = (
    ("fault", "fault", 20), ("runs", "runs", 5), ("requests", "requests", 9),
    ("acknowledged", "acknowledged", 12), ("lost", "lost", 5), ("outage_s", "longest outage", 14),
    ("leaked_descriptors", "descriptors", 11), ("leaked_connections", "connections", 11),
    ("resident_growth_mb", "memory", 8))


def summary(name, results):
    """One row of the runs of a fault: sums, but of outages and leaks the largest."""
    row = {"fault": name, "runs": len(results)}
    for field in ("requests", "acknowledged", "lost"):
        row[field] = sum(getattr(result, field) for result in results)
    for field in ("outage_s", "leaked_descriptors", "leaked_connections"):
        row[field] = max((getattr(result, field) for result in results), default=0)
    growth = max((result.resident_growth_bytes for result in results), default=0)
    row["resident_growth_mb"] = round(max(0, growth) / (1 << 20), 1)
    row["figures"] = figures(results)
    row["statuses"] = {}
    for result in results:
        for status, count in result.statuses.items():
            row["statuses"][status] = row["statuses"].get(status, 0) + count
    row["broken"] = [f"run {number}: {text}" for number, result in enumerate(results, 1)
                     for text in result.broken]
    return row


def figures(results):
    """The figures of a fault's own: the largest of its runs."""
    largest = {}
    for result in results:
        for name, value in result.figures.items():
            largest[name] = round(max(value, largest.get(name, value)), 3)
    return largest


def text(rows):
    """A table of rows for a terminal, with the figures and the broken promises below it."""
    lines = ["  ".join(title.rjust(width) if width < 20 else title.ljust(width)
                       for _, title, width in COLUMNS)]
    for row in rows:
        if "skipped" in row:
            lines.append(f"{row['fault']:<20}  skipped: {row['skipped']}")
        else:
            lines.append(line(row))
    for row in rows:
        for broken in row.get("broken", []):
            lines.append(f"NOT KEPT  {row['fault']}, {broken}")
    return "\n".join(lines)


def line(row):
    """One row, with its own figures at the end."""
    cells = []
    for field, _, width in COLUMNS:
        value = row[field]
        if field == "outage_s":
            value = f"{value:.2f} s"
        elif field == "resident_growth_mb":
            value = f"{value} MB"
        cells.append(str(value).ljust(width) if width == 20 else str(value).rjust(width))
    own = ", ".join(f"{name} {value}" for name, value in row["figures"].items())
    return "  ".join(cells) + (f"  {own}" if own else "")


def write(path, rows):
    """Writes rows as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
