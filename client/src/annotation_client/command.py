"""``annotate``: the same from a shell. Where and as whom: ``ANNOTATION_URL`` and ``ANNOTATION_TOKEN``."""

import typer

from annotation_client.commands import (
    checks,
    figures,
    messages,
    pay,
    people,
    releases,
    rounds,
    schemes,
    scores,
    sharing,
    studies,
    webhooks,
)

HELP = """Studies of the annotation platform, from a shell.

Every command prints a table in a terminal, fields with tabs between into a pipe, and JSON with --json.

What goes wrong is a sentence on standard error. Status 0: it is done. 1: the platform said no, or what was given cannot
be. 2: there is no such command or option. 3: the platform could not be reached or was busy; try again later. 4: it took
longer than the timeout. 130: interrupted.
"""

app = typer.Typer(help=HELP, no_args_is_help=True)
for topic in (studies, figures, releases, sharing, people):
    app.add_typer(topic.app)
for name, group in {
    "checks": checks.app,
    "member": people.one,
    "messages": messages.app,
    "pay": pay.app,
    "rounds": rounds.app,
    "scheme": schemes.app,
    "scores": scores.app,
    "webhook": webhooks.app,
}.items():
    app.add_typer(group, name=name)
