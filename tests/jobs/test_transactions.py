"""What is told of a database that had no time."""

import logging
from typing import Any

import psycopg.errors
import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import OperationalError
from django.http import HttpResponse
from django.test import RequestFactory

from annotation_platform.jobs.transactions import is_busy
from annotation_platform.middleware import DomainErrorMiddleware


def deadlock() -> OperationalError:
    error = OperationalError("Verklemmung (Deadlock) entdeckt")
    error.__cause__ = psycopg.errors.DeadlockDetected("Verklemmung (Deadlock) entdeckt")
    return error


def test_who_lost_a_deadlock_may_try_again_whatever_language_the_server_speaks() -> None:
    assert is_busy(deadlock())
    assert is_busy(OperationalError("database table is locked: studies_study"))


def test_other_errors_are_not_said_to_be_a_busy_database() -> None:
    assert not is_busy(OperationalError("connections from this address are blocked"))
    assert not is_busy(OperationalError("permission denied: the account is locked out"))
    assert not is_busy(ValueError("database is locked"))


def test_it_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    request: Any = RequestFactory().get("/studies/")
    request.user, request.htmx, request.session = AnonymousUser(), False, {}
    with caplog.at_level(logging.WARNING):
        answer = DomainErrorMiddleware(HttpResponse).process_exception(request, deadlock())
    assert answer is not None
    assert answer.status_code == 503
    assert "The database was busy at /studies/" in caplog.text
