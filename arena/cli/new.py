"""Owns `arena new`: a bot's folder from a template. Each template is itself a bot, `my-bot`, and plays."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from arena.cli.group import ArenaCommand
from arena.errors import ArenaError

__all__ = ["LANGUAGES", "TEMPLATES", "TEMPLATE_NAME", "command", "new_bot"]

TEMPLATES = Path(__file__).parent.parent / "templates"
TEMPLATE_NAME = "my-bot"
LANGUAGES = ("python", "go", "rust", "typescript", "java", "cpp")

EXAMPLE = """\
arena new simple --language python
arena new swift --language rust --into bots"""


@click.command(
    "new",
    cls=ArenaCommand,
    example=EXAMPLE,
    help="Make a bot that already plays: a folder NAME that speaks the protocol, and a strategy to fill in.",
)
@click.argument("name")
@click.option("--language", required=True, type=click.Choice(LANGUAGES), help="What it is written in.")
@click.option(
    "--into",
    metavar="DIR",
    default=".",
    type=click.Path(path_type=Path),
    help="Where its folder is made; here, if not said.",
)
def command(*, name: str, language: str, into: Path) -> None:
    """See the help text."""
    from arena.bots.manifest import load_bot, runnable
    from arena.cli.output import print_lines, say

    folder = new_bot(name, language=language, into=into)
    print_lines([str(folder)])
    lack = runnable(load_bot(folder))
    if lack:
        say(f"it cannot be built here yet: {lack}")
    say(f"README.md there says what to change; play it: arena match {folder} {folder} {folder} house-greedy")


def new_bot(name: str, *, language: str, into: Path) -> Path:
    """The folder of a new bot of that name, copied from the language's template.

    Raises ArenaError for a name that no bot may have, for a folder that is there already, and for a place
    where none can be made.
    """
    from arena.bots.manifest import refuse_bad_name

    refuse_bad_name(name)
    folder = into / name
    if folder.exists():
        raise ArenaError(f"{folder}: already there; nothing was changed, choose another name")
    try:
        shutil.copytree(TEMPLATES / language, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for path in folder.rglob("*"):
            if path.is_file():
                _rename(path, name)
    except OSError as error:
        raise ArenaError(f"{folder}: cannot be made: {error.strerror}") from error
    return folder


def _rename(path: Path, name: str) -> None:
    text = path.read_text()
    if TEMPLATE_NAME in text:
        path.write_text(text.replace(TEMPLATE_NAME, name))
