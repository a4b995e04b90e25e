"""A bot that is asked as chess programs are, by lines of JSON on pipes: `lines_bot.py DECIDER`."""

from __future__ import annotations

import json
import sys

from benchmarks.programs.decide import DECIDERS


def main() -> None:
    decide = DECIDERS[sys.argv[1]]
    out = sys.stdout.buffer
    out.write(b"ready\n")
    out.flush()
    for line in sys.stdin.buffer:
        out.write(json.dumps(decide(json.loads(line))).encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    main()
