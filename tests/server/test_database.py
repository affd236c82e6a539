"""How the platform connects to its database."""

import pytest
from django.db import connection


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL compiles queries; SQLite does not")
def test_postgresql_compiles_no_query() -> None:
    """With its just-in-time compiler a page of the explorer took ten seconds instead of half a second."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW jit")
        assert cursor.fetchone() == ("off",)
