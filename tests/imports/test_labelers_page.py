"""A labelling tool's files are uploaded together, and become a study under the tool's own form."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.annotations.models import Annotation
from annotation_platform.imports.models import ImportJob
from annotation_platform.studies.models import Role, Study
from tests.corpus.test_labelers import OF_POTATO
from tests.factories import MemberFactory, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def test_a_project_of_potato_is_uploaded_checked_and_imported(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.IMPORTS_DIR = tmp_path / "imports"
    user = MemberFactory(study=make_study(), role=Role.RESEARCHER).user
    assert user is not None
    client.force_login(user)
    files = [_named(path) for path in [OF_POTATO[1], OF_POTATO[0], *OF_POTATO[2:]]]
    client.post(reverse("import_study"), {"files": files, "target": "study"})
    job = ImportJob.objects.get()
    assert job.format == "potato"
    address = reverse("import_job", args=[job.pk])
    page = client.get(address).content.decode()
    assert "result.sentiment" in page
    assert "What the file says" in page
    client.post(address, {"do": "check", "name": "Sea", "format": "potato", "scheme": "", "target": "study"})
    page = client.get(address).content.decode()
    assert "boxes (image_annotation)" in page
    assert not Study.objects.filter(name="Sea").exists()
    client.post(address, {"do": "import", "name": "Sea", "format": "potato", "scheme": "", "target": "study"})
    study = Study.objects.get(name="Sea")
    assert sorted(study.members.filter(user=None).values_list("pseudonym", flat=True)) == ["annotator-1", "annotator-2"]
    values = [annotation.values for annotation in Annotation.objects.order_by("pk") if "facts" in annotation.values]
    assert {"text": "question", "start": 4, "end": 8, "label": "fact"} in [each["facts"][0] for each in values]


def _named(path: Path) -> BytesIO:
    file = BytesIO(path.read_bytes())
    file.name = path.name
    return file
