"""Owns where a command's words go: results to standard output, notices and progress to standard error."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["is_plain", "notice_console", "print_json", "print_lines", "say", "show"]


def is_plain() -> bool:
    """Whether `--plain` was given."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx is not None and ctx.meta.get("arena.plain"))


def say(line: str) -> None:
    """A notice, on standard error; a run goes on when whoever read them is gone."""
    try:
        click.echo(plain_text(line), err=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def print_lines(lines: Any) -> None:
    """Lines of a result, on standard output."""
    for line in lines:
        click.echo(plain_text(line))


def print_json(document: Any) -> None:
    """One JSON document, on standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def show(picture: RenderableType | Any) -> None:
    """A table on standard output; `picture` is that, or is called with the width in characters."""
    console = _console(is_error=False)
    drawn = picture(console.width) if callable(picture) else picture
    if not is_plain():
        console.print(drawn)
        return
    with console.capture() as captured:
        console.print(drawn)
    print_lines(line.rstrip() for line in captured.get().splitlines())


def notice_console() -> Console:
    """The console on standard error, for progress."""
    return _console(is_error=True)


def plain_text(line: str) -> str:
    """The line, in ASCII with `--plain`."""
    if not is_plain():
        return line
    return line.replace("−", "-").replace("±", "+-").encode("ascii", "replace").decode()


def _console(*, is_error: bool) -> Console:
    from rich.console import Console

    return Console(stderr=is_error, highlight=False, markup=False, no_color=is_plain() or None, emoji=False)
