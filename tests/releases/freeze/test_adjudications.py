"""What adjudicators decided is in a release beside the judgments, and changes no other file."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.crowd.adjudication.models import Adjudication
from annotation_platform.crowd.adjudication.services import adjudicate
from annotation_platform.releases.freeze.adjudications import PATH
from annotation_platform.releases.freeze.rebuilding import rebuild
from annotation_platform.releases.freeze.services import settle_findings
from annotation_platform.releases.freeze.verify import problems_of
from annotation_platform.releases.models import Finding, Release
from annotation_platform.releases.services import write_export
from annotation_platform.studies.models import Item, Member, Role, Study
from tests.factories import OPERATOR, MemberFactory, judgment, study_with_judgments
from tests.releases.freeze.frozen import asked, frozen, worked

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=5)


@pytest.fixture
def adjudicators(study: Study) -> list[Member]:
    return [MemberFactory(study=study, role=Role.RESEARCHER, pseudonym=name) for name in ("R-Hopper", "R-Lovelace")]


def decide(item: Item, by: Member, note: str = "", **values: Any) -> None:
    signature = item.study.scheme_version.signature
    raw = judgment(**values)
    adjudicate(item=item, adjudicator=by, raw=raw, scheme_signature=signature, note=note, actor=OPERATOR)


def first_items(study: Study, count: int) -> list[Item]:
    return list(study.items.order_by("pk")[:count])


def rows_in(release: Release) -> list[dict[str, str]]:
    with (release.folder / PATH).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_without_decisions_there_is_no_such_file(study: Study) -> None:
    release = frozen(study)
    assert not (release.folder / PATH).exists()
    assert "adjudications" not in (release.folder / "README.md").read_text()


def test_decisions_are_a_file_of_their_own_and_change_no_other(study: Study, adjudicators: list[Member]) -> None:
    before = frozen(study).folder
    item, other = first_items(study, 2)
    decide(item, adjudicators[0], note="It is all there.", completeness="complete")
    decide(item, adjudicators[1], completeness="missing_all")
    decide(other, adjudicators[1], completeness="missing_minor")
    release = frozen(study)
    assert problems_of(release.folder) == []
    assert rebuild(release).different == ()
    rows = [row for row in rows_in(release) if row["aspect"] == "completeness"]
    assert [row["item_id"] for row in rows] == [str(item.pk), str(item.pk), str(other.pk)]
    assert {row["adjudicator"] for row in rows} == {"adjudicator-01", "adjudicator-02"}
    assert [row["value"] for row in rows] == ["complete", "missing_all", "missing_minor"]
    assert rows[0]["note"] == "It is all there."
    assert "Hopper" not in (release.folder / PATH).read_text()
    for name in ("data/items.csv", "figures.json", "scheme.yaml", "runs.json"):  # annotators have other names
        assert (release.folder / name).read_bytes() == (before / name).read_bytes(), name
    described = json.loads((release.folder / "croissant.json").read_text())
    assert [each["@id"] for each in described["recordSet"]] == ["judgments", "items", "adjudications"]
    assert PATH in (release.folder / "README.md").read_text()


def test_a_decision_made_later_is_the_reason_why_it_cannot_be_made_again(
    study: Study, adjudicators: list[Member]
) -> None:
    item, other = first_items(study, 2)
    decide(item, adjudicators[0])
    release = frozen(study)
    decide(other, adjudicators[0])
    rebuilt = rebuild(release)
    assert f"{PATH} differs" in " ".join(rebuilt.different)
    assert "There were 1 decisions, and there are 2." in rebuilt.reasons
    Adjudication.objects.filter(item=other).delete()
    assert rebuild(release).different == ()


def test_what_adjudicators_wrote_is_looked_through_and_replaced(study: Study, adjudicators: list[Member]) -> None:
    (item,) = first_items(study, 1)
    decide(item, adjudicators[0], note="Ask ada@example.org.", reasons="Says ada@example.org, too.")
    release = asked(study)
    finding = release.findings.get()
    assert (finding.kind, finding.text, finding.times) == (Finding.Kind.EMAIL, "ada@example.org", 2)
    settle_findings(release=release, verdicts={finding.pk: Finding.Verdict.REMOVED}, actor=OPERATOR)
    release = worked(release)
    text = (release.folder / PATH).read_text()
    assert "ada@example.org" not in text
    assert text.count("Ask [removed].") > 1, "beside each value of the decision"
    assert "Says [removed], too." in text


def test_consensus_labels_have_the_adjudicated_one_beside_them(
    study: Study, adjudicators: list[Member], tmp_path: Path
) -> None:
    before = _consensus(study, tmp_path / "before.csv")
    item, other = first_items(study, 2)
    for adjudicator, label in zip(adjudicators, ("complete", "missing_all"), strict=True):
        decide(item, adjudicator, completeness=label)
        decide(other, adjudicator, completeness="missing_minor")
    after = _consensus(study, tmp_path / "after.csv")
    told = {(row["item_id"], row["aspect"]): row.pop("adjudicated") for row in after}
    assert told[str(other.pk), "completeness"] == "missing_minor"
    assert told[str(item.pk), "completeness"] == "", "they differ"
    assert told[str(item.pk), "correct"] == "yes"
    assert [{**row, "adjudicated": ""} for row in after] == before, "what rests on judgments stays as it was"


def _consensus(study: Study, path: Path) -> list[dict[str, str]]:
    write_export(study=study, format="consensus", path=path)
    return list(csv.DictReader(path.read_text().splitlines()))
