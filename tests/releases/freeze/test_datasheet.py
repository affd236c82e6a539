"""What the datasheet tells of people, what is looked for in researchers' own words, and that a release keeps both."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.crowd.languages.models import RequiredLanguages
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, Submission
from annotation_platform.releases.freeze.rebuilding import rebuild
from annotation_platform.releases.freeze.services import settle_findings
from annotation_platform.releases.models import Finding, Release
from annotation_platform.studies.models import Invitation, Study
from annotation_platform.studies.services import exclude_member
from tests.analysis.study_rows import score
from tests.crowd.pay.paying import agree
from tests.factories import OPERATOR, study_with_judgments
from tests.releases.freeze.frozen import admin_of, asked, frozen, worked

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
Kind, Verdict = Finding.Kind, Finding.Verdict


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = study_with_judgments(annotators=6)
    admin_of(study)
    return study


def sheet_of(release: Release) -> str:
    return (release.folder / "datasheet.md").read_text()


def settled(release: Release, *removed: str) -> Release:
    """All that was found stays, but for these texts."""
    found = release.findings.values_list("pk", "text")
    verdicts = {pk: Verdict.REMOVED if text in removed else Verdict.KEPT for pk, text in found}
    assert settle_findings(release=release, verdicts=verdicts, actor=OPERATOR)
    release = worked(release)
    assert release.status == Release.Status.DONE, release.error
    return release


def test_it_says_by_which_ways_people_came(study: Study) -> None:
    members = {member.pseudonym: member for member in study.members.all()}
    invitation = Invitation.objects.create(study=study, expires_at=study.created_at)
    for name in "AB":
        study.members.filter(pseudonym=name).update(invitation=invitation)
        members[name].user.email = f"{name}@guests.invalid"
    connection = ProlificStudy.objects.create(study=study)
    Submission.objects.create(connection=connection, member=members["C"], external_id="5f2b", external_study="s")
    study.members.filter(pseudonym="D").update(user=None)
    RequiredLanguages.objects.create(study=study, codes=["ja"])
    told = sheet_of(frozen(study))
    assert "- Through Prolific: 1\n" in told
    assert "- With an account, by invitation: 4\n" in told
    assert "- Imported with the data, or removed from the study since: 1\n" in told
    assert "asked for people who read: ja." in told
    assert "5f2b" not in told


def test_excluded_people_are_counted_by_reasons_that_somebody_let_stay(study: Study) -> None:
    for name, why in (("A", "Copied"), ("B", "Copied"), ("C", "Grace told us that he slept.")):
        exclude_member(member=study.members.get(pseudonym=name), because=why, actor=OPERATOR)
    release = asked(study)
    found = {each.text: each.times for each in release.findings.filter(kind=Kind.REASON)}
    assert found == {"Copied": 2, "Grace told us that he slept.": 1}
    release = settled(release, "Grace told us that he slept.")
    told = sheet_of(release)
    assert "The work of 3 excluded annotators" in told
    assert "- Copied (2)\n- [removed] (1)\n" in told
    assert "Grace" not in told
    assert not rebuild(release).different


def test_a_reason_that_is_removed_replaces_no_other_text(study: Study) -> None:
    exclude_member(member=study.members.get(pseudonym="A"), because="complete", actor=OPERATOR)
    release = settled(asked(study), "complete")
    assert "[removed]" not in (release.folder / "data" / "judgments.csv").read_text()
    assert "- [removed] (1)" in sheet_of(release)


def test_researchers_own_words_are_looked_through_and_replaced(study: Study) -> None:
    version = study.scheme_version
    definition = version.definition | {"title": "Answers (ask.scheme@example.org)"}
    type(version).objects.filter(pk=version.pk).update(definition=definition)
    Study.objects.filter(pk=study.pk).update(
        about="Write to ask.about@example.org.", pay="By ask.pay@example.org", name="Study of ask.name@example.org"
    )
    publish_text(study=study, texts={"en": "Ask ask.consent@example.org."}, actor=OPERATOR)
    study = Study.objects.get(pk=study.pk)
    given = {"title": "Data of ask.title@example.org", "description": "By ask.words@example.org"}
    release = asked(study, **given)
    where = ("scheme", "about", "pay", "name", "consent", "title", "words")
    wanted = {f"ask.{each}@example.org" for each in where}
    assert set(release.findings.filter(kind=Kind.EMAIL).values_list("text", flat=True)) == wanted
    release = settled(release, *wanted)
    for file in release.folder.rglob("*"):
        assert not file.is_file() or b"ask." not in file.read_bytes().replace(b"mask.", b""), file
    assert "Write to [removed]." in sheet_of(release)
    assert "title: Answers ([removed])" in (release.folder / "scheme.yaml").read_text()
    release.refresh_from_db()
    assert release.title == given["title"]
    assert not rebuild(release).different


CHANGES: dict[str, Callable[[Study], Any]] = {
    "name": lambda study: Study.objects.filter(pk=study.pk).update(name="Called otherwise now"),
    "about": lambda study: Study.objects.filter(pk=study.pk).update(about="Other words.", overlap=9),
    "pay": lambda study: Study.objects.filter(pk=study.pk).update(pay="Nothing any more."),
    "terms": lambda study: agree(study, bonus_percent=50),
    "consent": lambda study: publish_text(study=study, texts={"en": "Something else."}, actor=OPERATOR),
    "languages": lambda study: RequiredLanguages.objects.update_or_create(study=study, defaults={"codes": ["ja"]}),
    "corpus": lambda study: type(study.corpus).objects.filter(pk=study.corpus_id).update(language="fr"),
    "excluded": lambda study: exclude_member(
        member=study.members.get(pseudonym="A"), because="Late", keep_work=True, actor=OPERATOR
    ),
    "removed": lambda study: study.members.filter(pseudonym="B").update(user=None),
    "run": lambda study: score(study),
}


def test_it_is_made_again_whatever_settings_changed_since(study: Study) -> None:
    release = frozen(study)
    for name, change in CHANGES.items():
        change(study)
        found = rebuild(Release.objects.select_related("study__corpus").get(pk=release.pk))
        assert (name, found.different, found.reasons) == (name, (), ())
    other = frozen(Study.objects.get(pk=study.pk))
    for said in ("Other words.", "Nothing any more.", "bonus of 50 %", "Something else.", "read: ja.", "Late (1)"):
        assert said in sheet_of(other), said
        assert said not in sheet_of(release), said


def test_a_run_that_is_gone_is_named(study: Study) -> None:
    run = score(study)
    key = run.pk
    release = frozen(study)
    run.delete()
    found = rebuild(release)
    assert any("data/judgments.csv" in each for each in found.different)
    assert f"These scoring runs are not there any more: {key}." in found.reasons
