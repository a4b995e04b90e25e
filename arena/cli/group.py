"""Owns the list of commands, how they are found, and how they end: exit status and the one line of an error.

A command's module is imported when it is run, so that `arena --help` needs none of them.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from arena.errors import ArenaError

__all__ = ["COMMANDS", "INTERRUPTED", "ArenaCommand", "ArenaSubgroup", "arena_group", "run"]

MISTAKE = 2
INTERRUPTED = 130

# Command: what it does. Its module is `arena.cli.` and its name, and holds `command`.
COMMANDS = {
    "tournament": "Check every bot, play, store, rank and print the table.",
    "sprt": "Find out whether a new version of a bot is better.",
    "resume": "Go on with an interrupted tournament, exactly as planned.",
    "standings": "Print the ranked table of a tournament.",
    "match": "Play one match between four bots, told card by card.",
    "check": "Find out whether a bot speaks the protocol and plays legally.",
    "replay": "Tell a stored match again.",
    "rerun": "Play a stored match again with the same bots, and say where it differs.",
    "report": "Write the report: standings, plots, a page for each bot, replays.",
    "verify": "Recompute everything that is stored from the plan and the seed.",
    "export": "Write the records for other tools.",
    "rules": "Show the rulesets and what every field means.",
    "new": "Make a bot that already plays, from a template.",
    "serve": "Serve a league: bots come in over gRPC, people watch in a browser.",
    "submit": "Send a bot to a league, and follow it to the verdict.",
    "play": "Let a bot play in a league from this machine.",
    "token": "Issue, list and revoke the tokens of a league.",
    "season": "Begin, freeze, end and list the seasons of a league.",
    "pack": "Pack a bot into the bundle that a league takes, and print its hash.",
    "bench": "Measure what this machine plays a second.",
}


class ArenaGroup(click.Group):
    """The group of all commands, each imported when it is asked for.

    Called without arguments it is the program: it ends the process with the exit status.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the command line of this process."""
        sys.exit(run(sys.argv[1:]))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None when there is none."""
        if cmd_name not in COMMANDS:
            return None
        from arena.sdk.poller import choose_poller

        choose_poller()
        command: click.Command = importlib.import_module(f"arena.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of the help text, written from `COMMANDS` without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


class ArenaCommand(click.Command):
    """A command whose help keeps an example as it is written, and that knows `--plain`."""

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.params.append(
            click.Option(
                ["--plain"],
                is_flag=True,
                expose_value=False,
                callback=_set_plain,
                help="No colours, no lines drawn, no signs outside ASCII.",
            )
        )

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example."""
        with formatter.section("Example"):
            for line in self.example.splitlines():
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class ArenaSubgroup(click.Group):
    """A command that is a group of some, with an example in its help as it is written."""

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example."""
        with formatter.section("Example"):
            for line in self.example.splitlines():
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


@click.group(
    cls=ArenaGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="callbreak-arena", message="arena %(version)s")
@click.pass_context
def arena_group(ctx: click.Context) -> None:
    """An arena for bots that play Call Break: tournaments, rankings, replays."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Runs the command line and returns the exit status; an operator's mistake is one line on stderr."""
    try:
        with arena_group.make_context("arena", list(arguments)) as ctx:
            status = arena_group.invoke(ctx)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except click.UsageError as mistake:
        return _mistake(mistake.format_message() + _hint(mistake.ctx))
    except click.ClickException as mistake:
        return _mistake(mistake.format_message())
    except ArenaError as mistake:
        return _mistake(str(mistake))
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status if isinstance(status, int) else 0


def _set_plain(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    ctx.meta["arena.plain"] = value


def _hint(ctx: click.Context | None) -> str:
    return f" ({ctx.command_path} --help)" if ctx is not None else ""


def _mistake(message: str) -> int:
    from arena.reports.text import harmless

    click.echo(f"arena: {harmless(' '.join(message.split()), longest=2000)}", err=True)
    return MISTAKE
