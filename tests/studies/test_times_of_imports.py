"""The migration that forgets the time of an import where it stands for the time of a submission."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from annotation_platform.studies.models import Assignment, AssignmentState
from tests.factories import MemberFactory, open_study

migration = import_module("annotation_platform.studies.migrations.0012_no_times_of_imports")


@pytest.mark.django_db
def test_only_the_times_of_imports_are_forgotten() -> None:
    study = open_study()
    now = timezone.now()
    imported, from_file, taken = Assignment.objects.filter(hit__batch__study=study).order_by("pk")[:3]
    for place, submitted_at, claimed_at in (
        (imported, now, None),
        (from_file, study.created_at - timedelta(days=300), None),
        (taken, now, now - timedelta(hours=1)),
    ):
        Assignment.objects.filter(pk=place.pk).update(
            annotator=MemberFactory(study=study),
            state=AssignmentState.SUBMITTED,
            submitted_at=submitted_at,
            claimed_at=claimed_at,
        )
    migration.forget_times_of_imports(apps, None)
    times = Assignment.objects.filter(state=AssignmentState.SUBMITTED).order_by("pk")
    assert [place.submitted_at for place in times] == [None, study.created_at - timedelta(days=300), now]
