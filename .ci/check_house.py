"""Print what house.py measures, and fail on a figure that is over its limit."""

import sys
from pathlib import Path

import house


def main() -> None:
    """Print the figures; exit 1 if one is over its limit."""
    figures, rooms = house.measure(Path(sys.argv[1]))
    failed = []
    for name, (value, most) in figures.items():
        limit = "" if most is None else f"   at most {most:>6}"
        note = ""
        if most is not None and value > most:
            note = "   over"
            failed.append(name)
        print(f"{name:52} {value:>7}{limit}{note}")
    for name, (nodes, lines) in rooms.items():
        print(f"{name:52} {nodes:>7} nodes  {lines:>6} lines  {nodes / lines:5.1f}")
    if failed:
        sys.exit(f"over: {', '.join(failed)}")


if __name__ == "__main__":
    main()
