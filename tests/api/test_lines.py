"""A stream of judgments, sent by whichever thread of the server is free."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from annotation_platform.annotations.models import Annotation
from annotation_platform.api.judgments import lines
from annotation_platform.studies.models import Study
from tests.factories import study_with_judgments

pytestmark = [pytest.mark.storage, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> Iterator[bytes]:
    monkeypatch.setattr(lines, "AT_ONCE", 5)
    study_with_judgments(name="Owls", annotators=2)
    return lines.lines_of(Annotation.objects.all(), ["id", "seconds"])


def rename(name: str) -> bool:
    """Write as a request does that comes to this thread; whether it is there for others then."""
    Study.objects.update(about=name)
    is_free = not connection.in_atomic_block
    connection.close()
    return is_free


def test_a_thread_that_sent_a_part_of_it_keeps_nothing_open(stream: Iterator[bytes]) -> None:
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        parts = [one.submit(next, stream).result()]
        if connection.vendor == "postgresql":  # on SQLite the rows come from the thread's own connection
            assert one.submit(rename, "changed meanwhile").result()
        parts += other.submit(list, stream).result()
        assert other.submit(rename, "changed afterwards").result()
        for thread in (one, other):
            thread.submit(lambda: connection.close()).result()
    assert Study.objects.get().about == "changed afterwards"
    found = [json.loads(line) for line in b"".join(parts).splitlines()]
    assert [each["id"] for each in found] == list(Annotation.objects.order_by("pk").values_list("pk", flat=True))
    assert len(found) > 10


def test_one_that_nobody_reads_to_its_end_is_closed(stream: Iterator[bytes]) -> None:
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    Study.objects.update(about="written")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%%' AND"
                " datname = current_database()"
            )
            assert cursor.fetchone() == (0,)


@pytest.mark.parametrize("seconds", [0.0, 41.0, 0.1, 1e-7, 123456.789, 1e14])
def test_numbers_are_written_alike_by_both_databases(stream: Iterator[bytes], seconds: float) -> None:
    with transaction.atomic():
        Annotation.objects.update(seconds=seconds)
        first = next(lines.lines_of(Annotation.objects.order_by("pk"), ["seconds"])).splitlines()[0]
    assert first == f'{{"seconds": {seconds!r}}}'.encode()
