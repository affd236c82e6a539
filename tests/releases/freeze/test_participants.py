"""What Prolific says of annotators is in a release only by choice, and never of somebody who has not agreed."""

import csv
from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.consent.models import Consent
from annotation_platform.crowd.consent.services import answer, publish_text
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, Submission, SubmissionState
from annotation_platform.crowd.providers.prolific.participants import services
from annotation_platform.crowd.providers.prolific.visits import KEY
from annotation_platform.crowd.providers.vault.identities import keep_identity
from annotation_platform.releases.freeze.rebuilding import rebuild
from annotation_platform.releases.freeze.services import settle_findings
from annotation_platform.releases.models import Finding, Release
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services.members import remove_member
from tests.crowd.providers.participants import as_export, held, there
from tests.crowd.providers.pieces import connected
from tests.factories import OPERATOR, study_with_judgments
from tests.releases.freeze.frozen import ASKED, admin_of, asked, frozen, worked

pytestmark = pytest.mark.django_db

PEOPLE = 12
CHOSEN = {"participant_columns": ["Age", "Country of residence"], "participants_agreed": True}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """Twelve annotators from Prolific, six of each country, all of whom agreed; columns were kept of all."""
    study = study_with_judgments(annotators=PEOPLE)
    prolific = connected(study)
    for number, member in enumerate(annotators(study), start=1):
        keep_identity(member=member, provider=KEY, external_id=f"5f000000000000000000{number:04}")
    keep(prolific, [about(number) for number in range(1, PEOPLE + 1)])
    text = publish_text(study=study, texts={"en": "What you say of yourself is published."}, actor=OPERATOR)
    for member in annotators(study):
        answer(member=member, text=text, agreed=True, language="en", actor=OPERATOR)
    return study


def annotators(study: Study) -> list[Member]:
    return list(study.members.filter(role=Role.ANNOTATOR).order_by("pk"))


def arrived(member: Member, state: SubmissionState) -> None:
    connection = ProlificStudy.objects.get(study=member.study)
    Submission.objects.create(connection=connection, member=member, external_id=state, external_study="s", state=state)


def about(number: int, age: str = "25", country: str = "") -> list[str]:
    return there(number, about=("389", age, "Female", "White", country or ("Japan" if number > 6 else "Chile")))


def keep(prolific: ProlificStudy, rows: Sequence[list[str]]) -> None:
    services.store(
        file=held(prolific, as_export(*rows)),
        columns=["Age", "Sex", "Country of residence"],
        agreed=True,
        takes_states=False,
        actor=OPERATOR,
    )


def table(release: Release) -> list[dict[str, str]]:
    with (release.folder / "data" / "annotators.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def texts(release: Release) -> str:
    """All that the release's files of text say."""
    suffixes = {".csv", ".md", ".json", ".jsonl", ".yaml", ".cff"}
    return "\n".join(each.read_text() for each in sorted(release.folder.rglob("*")) if each.suffix in suffixes)


def test_without_a_choice_nothing_of_it_is_there(study: Study) -> None:
    release = frozen(study)
    assert list(table(release)[0]) == ["annotator", "judgments", "mean_seconds"]
    assert "Japan" not in texts(release)
    assert "Prolific says" not in texts(release)


def test_what_was_chosen_is_in_the_table_and_in_words_by_numbers(study: Study) -> None:
    release = frozen(study, **CHOSEN)
    rows = table(release)
    assert [list(row)[3:] for row in rows[:1]] == [["prolific_Age", "prolific_Country of residence"]]
    assert sorted(row["prolific_Country of residence"] for row in rows) == ["Chile"] * 6 + ["Japan"] * 6
    assert "Female" not in texts(release)
    for name in ("README.md", "datasheet.md"):
        said = (release.folder / name).read_text()
        assert "- Age: 20–29 (12)\n- Country of residence: Chile (6), Japan (6)\n" in said
    names = dict(release.pseudonyms.values_list("pseudonym", "member"))
    first_six = {each.pk for each in annotators(study)[:6]}
    for row in rows:
        assert (row["prolific_Country of residence"] == "Chile") == (names[row["annotator"]] in first_six)
    services.forget_kept(connection=study.prolific, actor=OPERATOR)
    assert not rebuild(release).different


@pytest.mark.parametrize("how", ["no answer", "said no since", "another text", "removed", "revoked there", "returned"])
def test_who_has_not_agreed_is_nowhere(study: Study, how: str) -> None:
    prolific = ProlificStudy.objects.get(study=study)
    planted = annotators(study)[0]
    keep(prolific, [about(1, age="83", country="Atlantis")])
    assert "Atlantis" in texts(frozen(study, **CHOSEN))  # as long as they agree
    if how == "no answer":
        Consent.objects.filter(member=planted).delete()
    elif how == "said no since":
        Consent.objects.filter(member=planted).update(agreed=False)
    elif how == "another text":
        text = publish_text(study=study, texts={"en": "Otherwise."}, actor=OPERATOR)
        for member in annotators(study)[1:]:
            answer(member=member, text=text, agreed=True, language="en", actor=OPERATOR)
    elif how == "removed":
        remove_member(member=planted, actor=OPERATOR)
    elif how == "returned":
        for state in (SubmissionState.RETURNED, SubmissionState.APPROVED):
            arrived(planted, state)
        assert "Atlantis" in texts(frozen(study, **CHOSEN))  # one was returned, another was not
        Submission.objects.filter(member=planted).update(state=SubmissionState.RETURNED)
    else:
        keep(prolific, [about(1, age="CONSENT_REVOKED", country="CONSENT_REVOKED")])
    release = frozen(study, **CHOSEN)
    assert "Atlantis" not in texts(release)
    own = release.pseudonyms.get(member=planted).pseudonym
    row = next(row for row in table(release) if row["annotator"] == own)
    assert row["prolific_Age"] == row["prolific_Country of residence"] == ""
    assert "83" not in {row["prolific_Age"] for row in table(release)}
    said = (release.folder / "datasheet.md").read_text()
    assert "- Age: 20–29 (11), not said (1)\n" in said
    assert "- Country of residence: Japan (6), Chile (5), not said (1)\n" in said


def test_who_withdraws_between_the_look_and_the_freeze_is_nowhere_and_groups_are_looked_at_again(study: Study) -> None:
    keep(ProlificStudy.objects.get(study=study), [about(1, country="Atlantis")])
    release = asked(study, **CHOSEN)
    (group,) = release.findings.all()
    assert (group.kind, group.text, group.times) == (Finding.Kind.GROUP, "“Country of residence”", 1)
    assert group.example == "1 annotator: “Country of residence” Atlantis"
    Consent.objects.filter(member=annotators(study)[1]).update(agreed=False)
    Consent.objects.filter(member=annotators(study)[0]).delete()
    settle_findings(release=release, verdicts={group.pk: Finding.Verdict.KEPT}, actor=OPERATOR)
    release = worked(release)
    assert release.status == Release.Status.DRAFT  # four of Chile now, and two of whom nothing is said
    found = {each.text: each for each in release.findings.filter(verdict=Finding.Verdict.OPEN)}
    assert set(found) == {"“Age”", "“Country of residence”"}
    assert "2 annotators: “Age” not said" in found["“Age”"].example
    kept = {each.pk: Finding.Verdict.KEPT for each in found.values()}
    settle_findings(release=release, verdicts=kept, actor=OPERATOR)
    release = worked(release)
    assert release.status == Release.Status.DONE
    assert "Atlantis" not in "".join(row["prolific_Country of residence"] for row in table(release))


def test_what_people_say_there_is_looked_through_like_other_texts(study: Study) -> None:
    keep(ProlificStudy.objects.get(study=study), [about(number, country="x@example.org") for number in range(1, 7)])
    release = asked(study, **CHOSEN)
    (finding,) = release.findings.all()
    assert (finding.kind, finding.text) == (Finding.Kind.EMAIL, "x@example.org")
    settle_findings(release=release, verdicts={finding.pk: Finding.Verdict.REMOVED}, actor=OPERATOR)
    assert "x@example.org" not in texts(worked(release))


def test_a_column_is_there_once_and_what_has_lines_stays_in_its_line(study: Study) -> None:
    keep(ProlificStudy.objects.get(study=study), [about(number, country="A\n# B") for number in range(1, 7)])
    release = frozen(study, participant_columns=["Country of residence"] * 2, participants_agreed=True)
    header, *_ = (release.folder / "data" / "annotators.csv").read_text().splitlines()
    assert header == "annotator,judgments,mean_seconds,prolific_Country of residence"
    for name in ("README.md", "datasheet.md"):
        assert "- Country of residence: A # B (6), Japan (6)\n" in (release.folder / name).read_text()


def test_digits_that_are_no_number_that_can_be_meant_are_words(study: Study) -> None:
    keep(ProlificStudy.objects.get(study=study), [about(number, age="9" * 25) for number in range(1, 7)])
    release = frozen(study, **CHOSEN)
    assert f"- Age: 25 (6), {'9' * 25} (6)\n" in (release.folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({**CHOSEN, "participants_agreed": False}, "releases.participants_not_agreed"),
        ({**CHOSEN, "participant_columns": ["Ethnicity simplified"]}, "releases.no_such_participant_columns"),
        ({**CHOSEN, "participant_columns": list("ABCDEF")}, "releases.too_many_participant_columns"),
    ],
)
def test_what_was_not_kept_or_not_agreed_to_is_no_choice(study: Study, given: Any, code: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        asked(study, **given)
    assert refused.value.reason.code == code


@pytest.mark.pages
def test_the_form_offers_what_was_kept_and_ticks_nothing(study: Study, client: Client) -> None:
    client.force_login(admin_of(study).user)
    page = client.get(reverse("releases", args=[study.slug])).content.decode()
    assert 'value="Country of residence"' in page
    assert 'value="Ethnicity simplified"' not in page
    assert 'name="participant_columns" value="Age" id="id_participant_columns_0">' in page
    given = {**ASKED, **CHOSEN, "participants_agreed": ""}
    refused = client.post(reverse("request_release", args=[study.slug]), given)
    assert refused.status_code == 422
    assert "Say that participants agreed" in refused.content.decode()
    client.post(reverse("request_release", args=[study.slug]), {**given, "participants_agreed": "on"})
    assert Release.objects.get(study=study).participant_columns == CHOSEN["participant_columns"]


@pytest.mark.pages
def test_where_nothing_was_kept_the_form_asks_nothing(study: Study, client: Client) -> None:
    services.forget_kept(connection=ProlificStudy.objects.get(study=study), actor=OPERATOR)
    client.force_login(admin_of(study).user)
    assert "participant_columns" not in client.get(reverse("releases", args=[study.slug])).content.decode()
