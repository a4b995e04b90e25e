"""Owns `arena rules`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

import click

from arena.cli.group import ArenaCommand

if TYPE_CHECKING:
    from rich.table import Table

    from arena.rules import Ruleset

__all__ = ["command"]


@click.command(
    "rules",
    cls=ArenaCommand,
    example="arena rules\narena rules callbreak-master\narena rules callbreak+rounds=10 --json",
    help="Show the rulesets side by side, or every field of one of them with its meaning.",
)
@click.argument("name", metavar="[NAME|FILE.toml]", required=False)
@click.option("--json", "is_json", is_flag=True, help="One JSON document.")
def command(*, name: str | None, is_json: bool) -> None:
    """See the help text."""
    from arena.cli.options import chosen_ruleset
    from arena.cli.output import print_json, print_lines, show
    from arena.rules import PRESETS
    from arena.store.export import ruleset_document

    rulesets = list(PRESETS.values()) if name is None else [chosen_ruleset(name, (), None)]
    if is_json:
        documents = [ruleset_document(ruleset) for ruleset in rulesets]
        print_json(documents if name is None else documents[0])
    elif name is None:
        show(_side_by_side(rulesets))
        print_lines(_words_on_names())
    else:
        print_lines(_described(rulesets[0]))


def _side_by_side(rulesets: list[Ruleset]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from arena.cli.output import is_plain
    from arena.rules import rule_text

    table = Table(box=None if is_plain() else SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for header in ["field", *(ruleset.name for ruleset in rulesets)]:
        table.add_column(header, overflow="fold")
    for each in fields(rulesets[0]):
        if each.name != "name":
            table.add_row(each.name, *(rule_text(getattr(ruleset, each.name)) for ruleset in rulesets))
    return table


def _words_on_names() -> list[str]:
    from arena.rules import ALIASES

    aliases = ", ".join(f"{alias} is {name}" for alias, name in ALIASES.items())
    return ["", f"Also: {aliases}. Change a field with --rule KEY=VALUE; `arena rules NAME` explains each."]


def _described(ruleset: Ruleset) -> Iterator[str]:
    from arena.rules import RULE_MEANINGS, rule_text

    for each in fields(ruleset):
        yield f"{each.name:<18} {rule_text(getattr(ruleset, each.name)):<18} {RULE_MEANINGS[each.name]}"
