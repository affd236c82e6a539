"""The how-to on writing a scheme: its very files, from the first check to the export, with no code for this task."""

import csv
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import SchemeError, read_scheme
from annotation_platform.studies.models import Assignment, Batch, BatchState, Item, Member, Role, Study
from tests.factories import MemberFactory, UserFactory

pytestmark = pytest.mark.django_db
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "write-a-scheme.md"
REASONS = "The other one gets a fact wrong."


def steps(name: str) -> list[str]:
    """The blocks of a file on the page, in order."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), flags=re.M | re.S)
    return [block for block in blocks if block.startswith(f"# {name}")]


@pytest.fixture
def scheme_file(tmp_path: Path) -> Path:
    file = tmp_path / "summaries.yaml"
    file.write_text("".join(steps("summaries.yaml")), encoding="utf-8")
    return file


@pytest.fixture
def corpus_file(tmp_path: Path) -> Path:
    file = tmp_path / "reports.yaml"
    (block,) = steps("reports.yaml")
    file.write_text(block, encoding="utf-8")
    return file


def test_after_each_step_it_is_a_scheme() -> None:
    blocks = steps("summaries.yaml")
    assert len(blocks) == 5
    for count in range(1, len(blocks) + 1):
        read_scheme("".join(blocks[:count]))
    with pytest.raises(SchemeError):
        read_scheme(blocks[1])


def test_the_scheme_goes_from_check_to_export(scheme_file: Path, corpus_file: Path) -> None:
    out = StringIO()
    call_command("check_scheme", str(scheme_file), stdout=out)
    assert "2. unsupported (sentences), per candidate, shown_when asks for faithful" in out.getvalue()
    assert "ja: all " in out.getvalue()

    owner = UserFactory(email="you@example.org")
    options = {"scheme": str(scheme_file), "owner": owner.email, "keep_drafts": True, "stderr": StringIO()}
    for dry_run in (True, False):
        call_command(
            "import_study", "native", corpus_file, name="Harbour summaries", dry_run=dry_run, stdout=out, **options
        )
    imported = Study.objects.get()

    study = made_on_the_page(owner, imported, scheme_file.read_text(encoding="utf-8"))
    assert study.scheme_version == imported.scheme_version
    assert study.overlap == 3
    opened_on_the_page(owner, study)
    annotators = [MemberFactory(study=study, pseudonym=name) for name in ("Alder", "Birch", "Cedar")]
    for annotator in annotators:
        annotate_everything(annotator)
    stored_as_judged(study)

    batch = study.batches.get()
    client_of(owner).post(reverse("close_batch", args=[study.slug, batch.number]))
    batch.refresh_from_db()
    assert batch.state != BatchState.OPEN
    measured(study)
    exported(study, scheme_file.parent)


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def made_on_the_page(owner: Any, imported: Study, text: str) -> Study:
    fields = {
        "scheme": text,
        "name": "Made on the page",
        "corpus": imported.corpus_id,
        "overlap": "",
        "questions_per_hit": 1,
        "hits_per_batch": 20,
        "time_limit_minutes": 60,
        "do": "create",
    }
    response = client_of(owner).post("/new-study/", fields)
    assert response.status_code == 302, response.content.decode()
    return Study.objects.get(name="Made on the page")


def opened_on_the_page(owner: Any, study: Study) -> None:
    response = client_of(owner).post(reverse("open_batch", args=[study.slug, 1]), {"deadline_at": ""})
    assert response.status_code == 302
    assert Batch.objects.get(study=study).state == BatchState.OPEN


def annotate_everything(annotator: Member) -> None:
    """Take and judge every task through the pages, as a browser without scripts does."""
    client = client_of(annotator.user)
    while True:
        response = client.post(reverse("take", args=[annotator.study.slug]), follow=True)
        place = Assignment.objects.filter(annotator=annotator, state="claimed").first()
        if place is None:
            return
        assert response.status_code == 200
        for item in place.hit.items.all():
            address = reverse("judge", args=[place.pk, item.position])
            page = client.get(address).content.decode()
            refused = client.post(address, {**hidden_in(page), **fields_of(annotator, item, reasons="")})
            assert "Please write something here." in refused.content.decode()
            sent = client.post(address, {**hidden_in(page), **fields_of(annotator, item, reasons=REASONS)})
            assert sent.status_code == 302, sent.content.decode()


def hidden_in(page: str) -> dict[str, str]:
    form = page[page.index('<form id="form"') :]
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    return {name: value for name, value in fields if name != "csrfmiddlewaretoken"}


def preferred(annotator: Member, item: Item) -> int:
    """Everybody prefers the longer summary, but for one annotator and one report."""
    texts = {each.number: each.answer.text for each in item.candidates.all()}
    is_odd = annotator.pseudonym == "Cedar" and item.question.article.external_id == "ferry"
    return (min if is_odd else max)(texts, key=lambda number: len(texts[number]))


def fields_of(annotator: Member, item: Item, *, reasons: str) -> dict[str, str]:
    best = preferred(annotator, item)
    other = 3 - best
    return {
        f"aspect-faithful.{best}": "yes",
        f"aspect-faithful.{other}": "no",
        f"aspect-unsupported.{other}": "1, 3",
        f"aspect-unsupported.{best}": "2",  # hidden: the page sends it, the store does not
        "aspect-better": str(best),
        "aspect-better.forced": "1",
        "aspect-margin": "clearly",
        "aspect-reasons": reasons,
    }


def stored_as_judged(study: Study) -> None:
    judgments = list(Annotation.objects.current().filter(item__study=study).select_related("item", "annotator"))
    assert len(judgments) == 9
    for each in judgments:
        best = preferred(each.annotator, each.item)
        assert each.values == {
            f"faithful.{best}": "yes",
            f"faithful.{3 - best}": "no",
            f"unsupported.{3 - best}": [1, 3],
            "better": str(best),
            "better.forced": True,
            "margin": "clearly",
            "reasons": REASONS,
        }
        assert sorted(each.presented) == [1, 2]


def measured(study: Study) -> None:
    snapshot = take_snapshot(study=study, resamples=20)
    levels = {aspect["aspect"]: aspect["level"] for aspect in snapshot.figures["aspects"]}
    assert {"faithful": "nominal", "better": "nominal", "margin": "ordinal"}.items() <= levels.items()
    assert snapshot.figures["counts"]["judgments"] == 9
    admin = client_of(study.members.get(role=Role.ADMIN).user)
    assert admin.get(reverse("agreement", args=[study.slug])).status_code == 200


def exported(study: Study, folder: Path) -> None:
    rows = list(csv.DictReader(StringIO(export_of(study, folder))))
    judged = [row for row in rows if row["reasons"] == REASONS]
    assert judged
    columns = set(rows[0])
    for key in ("faithful", "unsupported", "better", "margin"):
        assert any(column == key or column.startswith((f"{key}_", f"{key}.")) for column in columns), columns
    assert {row["annotator"] for row in judged} == {"Alder", "Birch", "Cedar"}


def export_of(study: Study, folder: Path) -> str:
    file = folder / "summaries.csv"
    call_command("export_study", study.name, format="csv", output=file, stdout=StringIO(), stderr=StringIO())
    return file.read_text(encoding="utf-8-sig")
