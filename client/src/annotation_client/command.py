"""``annotate``: the same from a shell. Where and as whom: ``ANNOTATION_URL`` and ``ANNOTATION_TOKEN``."""

import typer

from annotation_client.commands import figures, people, releases, studies, webhooks

app = typer.Typer(help="Studies of the annotation platform, from a shell.", no_args_is_help=True)
for topic in (studies, figures, releases, people):
    app.add_typer(topic.app)
app.add_typer(webhooks.app, name="webhook")
