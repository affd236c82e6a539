"""A stream of judgments is what models say, on both databases, sent by whichever thread of the server is free."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection, transaction

from annotation_platform.annotations.models import Annotation
from annotation_platform.api.judgments import lines
from annotation_platform.studies.models import Member, Study
from tests.factories import study_with_judgments

pytestmark = [pytest.mark.storage, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> Iterator[bytes]:
    monkeypatch.setattr(lines, "AT_ONCE", 5)
    study_with_judgments(name="Owls", annotators=2)
    return lines.lines_of(Annotation.objects.all(), ["id", "seconds"])


@pytest.fixture
def strange(stream: Iterator[bytes]) -> None:
    """Whatever a field may hold, as far as the two databases write it each in its own way."""
    first, second, third, fourth, *_ = Annotation.objects.order_by("pk")
    moment = datetime(2026, 2, 28, 23, 59, 59, tzinfo=UTC)
    Annotation.objects.filter(pk=first.pk).update(seconds=None, created_at=moment, presented=[2, 1, 3])
    Annotation.objects.filter(pk=second.pk).update(seconds=0.1, created_at=moment.replace(microsecond=1200))
    Annotation.objects.filter(pk=third.pk).update(values={"reasons": "梟 “says” \\ \n {x} % 🦉"}, seconds=1e-7)
    Annotation.objects.filter(pk=fourth.pk).update(is_current=False, revision=2, values={})
    Member.objects.filter(pk=first.annotator_id).update(pseudonym='A "quoted" \\ 名')


def by_models() -> list[dict[str, Any]]:
    rows = Annotation.objects.select_related("item__hit__batch", "annotator", "scheme_version").order_by("pk")
    return [
        {
            "id": row.pk,
            "item": row.item_id,
            "batch": row.item.hit.batch.number,
            "assignment": row.assignment_id,
            "annotator": row.annotator.pseudonym,
            "revision": row.revision,
            "is_current": row.is_current,
            "scheme_version": row.scheme_version.number,
            "values": row.values,
            "presented": row.presented,
            "seconds": row.seconds,
            "created_at": row.created_at.isoformat().replace("+00:00", "Z"),
        }
        for row in rows
    ]


@pytest.mark.usefixtures("strange")
@pytest.mark.parametrize("rows", ["all", "some"])
def test_lines_are_what_models_say(rows: str) -> None:
    expected = by_models()
    assert expected[0].keys() == lines.WRITTEN_BY_POSTGRESQL.keys()
    judgments = Annotation.objects.all()
    if rows == "some":
        judgments = judgments.filter(is_current=True)
        expected = [each for each in expected if each["is_current"]]
    written = b"".join(lines.lines_of(judgments, [*expected[0]])).splitlines()
    assert len(written) > 2 * lines.AT_ONCE
    assert [json.loads(line) for line in written] == expected
    for name in expected[0]:
        alone = b"".join(lines.lines_of(judgments, [name])).splitlines()
        assert [json.loads(line) for line in alone] == [{name: each[name]} for each in expected]


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
