"""What was exported can be imported again, and says the same: also of aspects that nobody was ever asked about."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset
from annotation_platform.studies.models import Study
from tests.factories import study_with_judgments

pytestmark = [pytest.mark.django_db, pytest.mark.storage]
ROWS = """question,answer,system,annotator,completeness
Who flies it?,The commander,alder,A,complete
Who flies it?,The commander,alder,B,missing_all
Where to?,The moon,alder,A,missing_minor
Where to?,The moon,alder,B,missing_minor
"""


def said(study: Study) -> list[tuple[str, str, str, dict[str, Any]]]:
    """What everybody said of each answer."""
    judgments = Annotation.objects.current().filter(item__study=study)
    about = ("item__question__text", "item__candidates__answer__system__name", "annotator__pseudonym", "values")
    return sorted(judgments.values_list(*about), key=str)


def brought_back(study: Study, folder: Path, format: str, scheme: Any) -> tuple[Study, str]:
    file, definition, out = folder / f"out.{format}", folder / "scheme.yaml", StringIO()
    definition.write_text(yaml.safe_dump(scheme), encoding="utf-8")
    call_command("export_study", study.name, format=format, output=file, stdout=StringIO(), stderr=StringIO())
    call_command("import_study", "table", str(file), name="Again", scheme=str(definition), stdout=out, stderr=out)
    return Study.objects.get(name="Again"), out.getvalue()


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_aspects_that_were_never_asked_come_back_so(tmp_path: Path, format: str) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    call_command("import_study", "table", str(tmp_path / "rows.csv"), name="First", scheme="ebr", stdout=StringIO())
    first = Study.objects.get(name="First")
    again, told = brought_back(first, tmp_path, format, preset("ebr"))
    assert said(again) == said(first)
    assert "No row says anything about" in told
    assert "aspects count as never asked" in told


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_judgments_come_back_as_they_were(tmp_path: Path, format: str) -> None:
    first = study_with_judgments()
    again, _ = brought_back(first, tmp_path, format, preset("ebr"))
    assert said(again) == said(first)
