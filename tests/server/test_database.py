"""How the platform connects to its database."""

import pytest
from django.db import close_old_connections, connection

from annotation_platform.accounts.models import User


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL compiles queries; SQLite does not")
def test_postgresql_compiles_no_query() -> None:
    """With its just-in-time compiler a page of the explorer took ten seconds instead of half a second."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW jit")
        assert cursor.fetchone() == ("off",)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="there is no server that could be restarted")
def test_a_request_after_the_server_was_restarted_finds_a_new_connection() -> None:
    """Each thread of the web server kept one from before; its next request, perhaps a judgment, ended with an error."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (process,) = cursor.fetchone()
    another = connection.copy()
    with another.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [process])
    another.close()
    close_old_connections()  # what Django does when a request begins
    assert not User.objects.exists()
