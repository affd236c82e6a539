"""The database refuses to change or remove entries of the ledger, whoever asks."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.utils import DatabaseError

from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry
from annotation_platform.crowd.pay.services import correct, credit_assignment
from annotation_platform.studies.models import Member, Study
from annotation_platform.studies.services import delete_study
from tests.crowd.pay.work import do
from tests.factories import OPERATOR

pytestmark = pytest.mark.django_db


@pytest.fixture
def entry(annotator: Member) -> LedgerEntry:
    return correct(member=annotator, amount=50, reason="A present.", actor=OPERATOR)


def test_an_entry_cannot_be_changed(entry: LedgerEntry) -> None:
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        LedgerEntry.objects.update(amount=5_000)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE crowd_ledgerentry SET reason = ''")


def test_an_entry_cannot_be_removed(entry: LedgerEntry) -> None:
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        LedgerEntry.objects.all().delete()
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        LedgerEntry.objects.filter(pk=entry.pk)._raw_delete("default")  # type: ignore[attr-defined]


def test_entries_go_with_the_study_that_an_admin_deletes(study: Study, entry: LedgerEntry) -> None:
    delete_study(study=study, typed_name=study.name, actor=OPERATOR)
    assert not LedgerEntry.objects.exists()
    assert not Study.every.filter(pk=study.pk).exists()


def test_the_database_refuses_a_second_reward_and_a_wrong_sign(annotator: Member) -> None:
    entry = credit_assignment(assignment=do(annotator), annotator=annotator, actor=OPERATOR)
    assert entry is not None
    for change in ({}, {"before": 7}, {"kind": EntryKind.PARTIAL}, {"kind": EntryKind.PAYMENT}, {"hit": None}):
        twin = LedgerEntry.objects.get(pk=entry.pk)
        twin.pk = None
        for field, value in change.items():
            setattr(twin, field, value)
        with pytest.raises(IntegrityError), transaction.atomic():
            twin.save(force_insert=True)
