"""``python -m annotation_client``, which is ``annotate``."""

from annotation_client.command import app

app(prog_name="annotate")
