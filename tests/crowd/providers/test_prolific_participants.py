"""Prolific's own file of participants: laid beside what is here, kept by choice, and forgotten."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.accounts.models import Event
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.crowd.consent.services import answer, publish_text
from annotation_platform.crowd.home.own_topics import told_by_prolific
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, Submission, SubmissionState
from annotation_platform.crowd.providers.prolific.participants import services
from annotation_platform.crowd.providers.prolific.participants.models import ParticipantAttributes, ParticipantsFile
from annotation_platform.crowd.providers.prolific.participants.reading import read_participants
from annotation_platform.crowd.providers.prolific.participants.selectors import kept_of
from annotation_platform.crowd.providers.vault.identities import erase_person
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import claim_assignment
from annotation_platform.studies.services.members import remove_member
from tests.crowd.providers.participants import ABOUT, HEADER, as_export, held, there
from tests.crowd.providers.pieces import connected, submission
from tests.factories import OPERATOR, MemberFactory, open_study, submit
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture
def study() -> Study:
    return open_study(name="Owls")


@pytest.fixture
def prolific(study: Study) -> ProlificStudy:
    return connected(study)


def judged(one: Submission) -> Submission:
    place = claim_assignment(annotator=one.member, actor=OPERATOR)
    assert place is not None
    for item in place.hit.items.all():
        submit(place, item)
    return one


def stored(prolific: ProlificStudy, *rows: Any, columns: Any = ("Age", "Sex"), **how: Any) -> ParticipantsFile:
    given = {"agreed": True, "takes_states": False, **how}
    return services.store(file=held(prolific, as_export(*rows)), columns=columns, **given, actor=OPERATOR)


def values(one: Submission) -> Any:
    kept = ParticipantAttributes.objects.filter(member=one.member).first()
    return kept and (kept.values, kept.missing)


def test_each_row_says_where_both_sides_differ(prolific: ProlificStudy) -> None:
    visits = [submission(prolific, number) for number in range(1, 8)]
    judged(visits[0])
    judged(visits[1])
    Submission.objects.filter(pk=visits[5].pk).update(ending="screened_out")
    file = held(
        prolific,
        as_export(
            there(1),
            there(2, status="RETURNED", code=""),
            there(3, code="NOCODE"),
            there(4, code="SOMETHING"),
            there(5, submission="another01"),
            there(6, code="DONE1"),
            there(9, status="APPROVED"),
            there(10, status="TIMED-OUT"),
        ),
    )
    _, comparison = services.look_at(file)
    codes = [[each.code.removeprefix("crowd.there_") for each in one.findings] for one in comparison.rows]
    assert codes == [
        ["state_differs"],
        ["judged_but", "state_differs", "withdrawn"],
        ["nothing_done", "no_code", "state_differs"],
        ["nothing_done", "unknown_code", "state_differs"],
        ["other_visit"],
        ["nothing_done", "other_code", "state_differs"],
        ["not_here"],
        [],
    ]
    assert [one.done for one in comparison.rows] == [1, 1, 0, 0, 0, 0, 0, 0]
    assert [one.pk for one in comparison.absent] == [visits[4].pk, visits[6].pk]
    assert len(comparison.found) == 6


def test_one_who_came_by_the_submission_of_another_is_told(prolific: ProlificStudy) -> None:
    first = submission(prolific, 1)
    submission(prolific, 2)
    _, comparison = services.look_at(held(prolific, as_export(there(2, submission="session01"))))
    assert (
        comparison.rows[0].findings[0]
        == f"{first.member.pseudonym} came here by this submission, who is somebody else."
    )


def test_too_few_tasks_and_a_file_of_another_study_are_told(study: Study) -> None:
    prolific = connected(study, tasks_wanted=3, external_studies=["60000000000000000000aaaa"])
    judged(submission(prolific, 1))
    file = held(prolific, as_export(there(1)), "prolific_export_69999999.csv")
    _, comparison = services.look_at(file)
    assert comparison.other_study == "69999999"
    assert comparison.rows[0].findings[0] == "1 of 3 tasks were submitted here."
    known = held(prolific, as_export(there(1)), "prolific_export_60000000000000000000aaaa (1).csv")
    assert services.look_at(known)[1].other_study == ""


def test_what_cannot_come_is_named_by_line_and_column_and_the_rest_comes() -> None:
    long = "x" * 501
    wrong = [
        there(1),
        there(2, status="LOST"),
        ["session03", "no good!", *there(3)[2:]],
        there(4)[:5],
        there(1),
        there(6, about=("1", long)),
    ]
    found = read_participants(as_export(*wrong).decode())
    assert [row.line for row in found.rows] == [2, 7]
    assert found.mistakes == [
        "Line 3: Status “LOST” is no state of a submission.",
        "Line 4: Participant id is none that Prolific makes.",
        "Line 5: it has 5 cells, and the header has 15.",
        "Line 6: its submission stands in line 2 already.",
        "Line 7, column “Age”: at most 500 characters can be kept.",
    ]
    assert "Age" not in found.rows[1].said
    assert found.columns == list(ABOUT)


def test_files_of_former_years_are_read() -> None:
    header = ("session_id", "participant_id", "status", "started_datetime", "age", "entered_code")
    row = ("session01", "5f0000000000000000000001", "TIMED OUT", "2021-03-02 08:00:00", "31", "C1")
    found = read_participants(as_export(row, header=header).decode())
    (one,) = found.rows
    assert (one.state, one.code, one.said) == (SubmissionState.TIMED_OUT, "C1", {"age": "31"})


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "crowd.file_empty"),
        (b"\xff\xfe", "crowd.file_not_utf8"),
        (b"a,b\n1,2\n", "crowd.participants_no_columns"),
        (as_export(header=(*HEADER, "Age")), "crowd.participants_column_twice"),
        (as_export(), "crowd.participants_no_rows"),
        (as_export(there(1)) + b'"open', "crowd.participants_not_csv"),
    ],
)
def test_what_is_no_such_file_is_refused_and_nothing_is_held(
    prolific: ProlificStudy, content: bytes, code: str
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        held(prolific, content)
    assert refused.value.reason.code == code
    assert not ParticipantsFile.objects.exists()


def test_only_chosen_columns_are_kept_and_only_where_people_agreed(prolific: ProlificStudy) -> None:
    one = submission(prolific, 1)
    file = held(prolific, as_export(there(1, about=("389", "DATA_EXPIRED")), there(9)))
    assert "5f0000000000000000000001" not in file.encrypted_text
    for columns, agreed, code in (
        (["Age"], False, "crowd.participants_not_agreed"),
        (["Shoes"], True, "crowd.participants_no_such_column"),
    ):
        with pytest.raises(InvalidInputError) as refused:
            services.store(file=file, columns=columns, agreed=agreed, takes_states=False, actor=OPERATOR)
        assert refused.value.reason.code == code
    assert values(one) is None
    done = services.store(file=file, columns=["Sex", "Age"], agreed=True, takes_states=True, actor=OPERATOR)
    assert values(one) == ({"Sex": "Female"}, {"Age": "DATA_EXPIRED"})
    assert (done.columns, done.people, done.states, done.encrypted_text) == (["Age", "Sex"], 1, 1, "")
    one.refresh_from_db()
    assert one.state == "AWAITING REVIEW"
    events = Event.objects.count()
    again = services.store(file=file, columns=["Ethnicity simplified"], agreed=True, takes_states=True, actor=OPERATOR)
    assert (again.columns, Event.objects.count()) == (["Age", "Sex"], events), "a second click does nothing twice"
    with pytest.raises(ConflictError):
        services.look_at(again)
    with pytest.raises(ConflictError):
        services.give_up(file=again, actor=OPERATOR)


def test_nothing_is_stored_of_a_file_of_strangers(prolific: ProlificStudy) -> None:
    with pytest.raises(InvalidInputError, match="Is it the file of another study"):
        stored(prolific, there(8))


@pytest.mark.parametrize(("here", "in_file"), [("APPROVED", "AWAITING REVIEW"), ("AWAITING REVIEW", "ACTIVE")])
def test_a_state_is_not_taken_back_by_an_older_file(prolific: ProlificStudy, here: str, in_file: str) -> None:
    one = submission(prolific, 1)
    Submission.objects.filter(pk=one.pk).update(state=here)
    assert stored(prolific, there(1, status=in_file), takes_states=True).states == 0
    one.refresh_from_db()
    assert one.state == here


def test_revoked_consent_empties_a_column_and_no_other_file_fills_it_again(prolific: ProlificStudy) -> None:
    one = submission(prolific, 1)
    stored(prolific, there(1))
    assert values(one) == ({"Age": "25", "Sex": "Female"}, {})
    stored(prolific, there(1, about=("389", "CONSENT_REVOKED", "Male")), columns=["Sex"])
    assert values(one) == ({"Sex": "Male"}, {"Age": "CONSENT_REVOKED"}), "also in a column that nobody ticked"
    stored(prolific, there(1))
    assert values(one) == ({"Sex": "Female"}, {"Age": "CONSENT_REVOKED"})


def test_who_returned_everything_or_was_removed_or_said_no_keeps_nothing(prolific: ProlificStudy) -> None:
    returned, removed, refusing, known_to_have = (submission(prolific, number) for number in (1, 2, 3, 4))
    rows = [there(number) for number in (1, 2, 3, 4)]
    assert stored(prolific, *rows).people == 4
    text = publish_text(study=prolific.study, texts={"en": "What is kept."}, actor=OPERATOR)
    answer(member=refusing.member, text=text, agreed=False, language="en", actor=OPERATOR)
    remove_member(member=removed.member, actor=OPERATOR)
    Submission.objects.filter(pk=known_to_have.pk).update(state="RETURNED")
    assert [each.member for each in kept_of(prolific.study)] == [returned.member]
    rows[0] = there(1, status="RETURNED", code="")
    assert stored(prolific, *rows).people == 0
    assert [values(one)[0] for one in (returned, removed, refusing, known_to_have)] == [{}] * 4


def test_erasing_somebody_and_deleting_an_account_forget_it_too(prolific: ProlificStudy) -> None:
    first, second = submission(prolific, 1), submission(prolific, 2)
    stored(prolific, there(1), there(2))
    assert second.member.user is not None
    (own,) = told_by_prolific(second.member.user)
    assert own["values"] == {"Age": "25", "Sex": "Female"}
    erase_person(member=first.member, actor=OPERATOR)
    delete_account(user=second.member.user, actor=OPERATOR)
    assert not ParticipantAttributes.objects.exists()


@pytest.mark.storage
def test_a_file_is_forgotten_after_a_day_and_keys_can_be_changed_meanwhile(
    prolific: ProlificStudy, settings: Any
) -> None:
    submission(prolific)
    settings.IDENTITY_KEYS = ["old" * 20]
    file = held(prolific, as_export(there(1)))
    settings.IDENTITY_KEYS = ["new" * 20, "old" * 20]
    services.rotate_files()
    settings.IDENTITY_KEYS = ["new" * 20]
    file.refresh_from_db()
    assert len(services.look_at(file)[1].rows) == 1
    services.forget_old_files()
    assert ParticipantsFile.objects.exists()
    ParticipantsFile.objects.update(created_at=timezone.now() - timedelta(days=1, minutes=1))
    services.forget_old_files()
    assert not ParticipantsFile.objects.exists()


def test_a_researcher_looks_chooses_downloads_and_forgets(prolific: ProlificStudy, client: Client) -> None:
    study = prolific.study
    one = judged(submission(prolific, 1))
    submission(prolific, 2)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R").user)
    where = reverse("prolific_participants", args=[study.slug])
    assert client.post(where, {"file": SimpleUploadedFile("a.csv", b"a,b\n1,2\n")}).status_code == 422
    upload = SimpleUploadedFile(
        "prolific_export_x.csv", as_export(there(1, about=("1", "=1+1")), there(2, status="LOST"))
    )
    file = client.post(where, {"file": upload}).url
    page = client.get(file)
    text = markup(page)
    assert "Status “LOST” is no state" in text
    assert one.member.pseudonym in text
    assert "5f000000000000000000" not in text, "who they are there is shown to nobody"
    assert not ParticipantAttributes.objects.exists()
    refused = client.post(file, {"do": "store", "columns": ["Age", "Sex"]})
    assert (refused.status_code, markup(refused).count(" checked>")) == (422, 2), "what was ticked is not lost"
    wrong = client.post(file, {"do": "store", "columns": ["Name"], "agreed": "on"})
    assert (wrong.status_code, "Name is not one of the available choices" in markup(wrong)) == (422, True)
    assert client.post(file, {"do": "store", "columns": ["Age", "Sex"], "agreed": "on"}).status_code == 302
    assert "Age, Sex" in markup(client.get(file))
    assert client.post(file, {"do": "store", "columns": ["Total approvals"], "agreed": "on"}).status_code == 200
    table = client.get(reverse("prolific_participants_table", args=[study.slug])).content.decode("utf-8-sig")
    assert table.splitlines() == ["annotator,Age,Sex", f"{one.member.pseudonym},'=1+1,Female"]
    assert client.post(where, {"do": "forget"}).status_code == 302
    assert values(one) == ({}, {})
    second = client.post(where, {"file": SimpleUploadedFile("b.csv", as_export(there(1)))}).url
    assert client.post(second, {"do": "give-up"}).url == where
    assert client.get(second).status_code == 404


def test_a_file_that_is_too_large_is_refused_with_its_size_the_limit_and_what_to_do(
    prolific: ProlificStudy, client: Client
) -> None:
    large = as_export(there(1)) + b" " * 5_000_000
    with pytest.raises(InvalidInputError) as refused:
        held(prolific, large)
    assert str(refused.value) == (
        "The file has 5.0 MB; at most 5 MB are read here. Send it in several files, each of which begins with the "
        "first line."
    )
    client.force_login(MemberFactory(study=prolific.study, role=Role.RESEARCHER).user)
    where = reverse("prolific_participants", args=[prolific.study.slug])
    reply = client.post(where, {"file": SimpleUploadedFile("a.csv", large)})
    assert (reply.status_code, "at most 5 MB are read here" in markup(reply)) == (422, True)
    page = markup(client.get(where))
    assert 'data-most="5000000"' in page
    assert "This file has more than the 5 MB that are read here." in page
    assert not ParticipantsFile.objects.exists()


def test_a_study_that_is_not_connected_has_no_such_page(client: Client) -> None:
    study = open_study(name="Finches")
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    assert client.get(reverse("prolific_participants", args=[study.slug])).url == reverse("prolific", args=[study.slug])


def test_no_column_keeps_who_somebody_is_on_prolific(prolific: ProlificStudy) -> None:
    one = submission(prolific)
    row = [*there(1), "session01", "https://app.prolific.com/5f0000000000000000000001", "tea"]
    content = as_export(row, header=(*HEADER, "Session ID", "Profile", "Drink"))
    found = read_participants(content.decode())
    assert found.columns == [*ABOUT, "Profile", "Drink"]
    assert [each.code for each in found.mistakes] == ["crowd.participants_cell_identifies"]
    file = services.store(
        file=held(prolific, content), columns=["Profile", "Drink"], agreed=True, takes_states=False, actor=OPERATOR
    )
    assert (values(one), file.people) == (({"Drink": "tea"}, {}), 1)


def test_what_somebody_else_has_decided_meanwhile_is_said(prolific: ProlificStudy) -> None:
    submission(prolific)
    file = held(prolific, as_export(there(1)))
    services.give_up(file=file, actor=OPERATOR)
    forgotten = ParticipantsFile(pk=file.pk, connection=prolific)
    with pytest.raises(NotThereError, match="no such file"):
        services.store(file=forgotten, columns=[], agreed=False, takes_states=False, actor=OPERATOR)
    with pytest.raises(NotThereError, match="no such file"):
        services.give_up(file=forgotten, actor=OPERATOR)
