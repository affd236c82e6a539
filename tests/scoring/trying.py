"""Trying a model connection as people do: a click, the worker's turn, and what the page says then."""

from django.test import Client
from django.urls import reverse

from annotation_platform.jobs.contract import run_job, waiting
from annotation_platform.scoring.models import ConnectionTrial, ModelConnection
from annotation_platform.scoring.trials import TRIALS
from tests.markup import markup


def ask_to_try(client: Client, connection: ModelConnection) -> str:
    """Click *Try it*; what the page says before a worker has taken it up."""
    name, args = ("try_study_connection", [connection.study.slug]) if connection.study else ("try_connection", [])
    response = client.post(reverse(name, args=[*args, connection.pk]), follow=True)
    assert response.status_code == 200
    return markup(response)


def tried(client: Client, connection: ModelConnection) -> str:
    """Click *Try it*, let a worker do it, and look at the page again."""
    assert "works:" not in ask_to_try(client, connection)
    ConnectionTrial.objects.update(heartbeat_at=None)  # as if its message were lost
    for pk in waiting(TRIALS):
        run_job(TRIALS, pk)
    name, args = ("study_connections", [connection.study.slug]) if connection.study else ("connections", [])
    return markup(client.get(reverse(name, args=args)))
