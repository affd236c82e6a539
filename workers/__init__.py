"""Background work: thin tasks that load by id and call one service each."""

from workers.celery import app as celery_app

__all__ = ["celery_app"]
