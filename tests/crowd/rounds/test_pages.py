"""The pages about rounds, for the researcher and for the annotator; and who may not enter them."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation_platform.annotations.services import AssignmentLostError, BatchClosedError
from annotation_platform.crowd.consent.selectors import missing_text
from annotation_platform.crowd.consent.services import answer, publish_text
from annotation_platform.crowd.languages.services import require_languages, state_languages
from annotation_platform.crowd.rounds.key_files import read_key, write_key
from annotation_platform.crowd.rounds.models import ItemKey, Round, Rule, Verdict
from annotation_platform.crowd.rounds.selectors import RoundItem, items_of, standings_of
from annotation_platform.crowd.rounds.services import begin_attempt
from annotation_platform.studies.eligibility import NotEligibleError
from annotation_platform.studies.invitations import create_invitation, token_of
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import remove_member
from tests.crowd.rounds.pieces import WRONG, acts, go_through, new_round
from tests.factories import OPERATOR, MemberFactory, UserFactory, make_corpus, make_study, open_study, submit
from tests.markup import markup

pytestmark = pytest.mark.pages
SETTINGS = {"title": "First", "rule": "share", "least_percent": "60", "attempts_allowed": "1", "least_overlap": "50"}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(overlap=5)


@pytest.fixture
def researcher(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.RESEARCHER)


def signed_in(member: Member, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(member.user)
    return client


def words(client: Client, url: str, status: int = 200) -> str:
    page = client.get(url)
    assert page.status_code == status
    return page.content.decode()


def researcher_pages(study: Study, round_: Round, attempt: int) -> list[str]:
    slug = study.slug
    return [
        reverse("rounds", args=[slug]),
        reverse("new_round", args=[slug]),
        reverse("round", args=[slug, round_.pk]),
        reverse("round_key", args=[slug, round_.pk]),
        reverse("round_key_file", args=[slug, round_.pk]),
        reverse("round_item_key", args=[slug, round_.pk, 1]),
        reverse("review_attempt", args=[slug, attempt]),
    ]


def test_a_researcher_sees_every_page_and_nobody_else_does(study: Study, researcher: Member) -> None:
    new = new_round(study, attempts_allowed=2)
    worker = MemberFactory(study=study)
    attempt = go_through(new, worker, {1: WRONG})
    other = MemberFactory(study=make_study(), role=Role.ADMIN)
    pages = researcher_pages(study, new, attempt.pk)
    for url in [*pages, reverse("study", args=[new.study.slug]), reverse("agreement", args=[new.study.slug])]:
        assert signed_in(researcher).get(url).status_code == 200, url
        for stranger in (worker, other):
            assert signed_in(stranger).get(url).status_code == 404, url
        assert Client().get(url).status_code == 302, url
    for foreign in (
        reverse("round", args=[other.study.slug, new.pk]),
        reverse("review_attempt", args=[other.study.slug, attempt.pk]),
    ):
        assert signed_in(other).get(foreign).status_code == 404
    for name in ("open_round", "end_round", "round_by_hand"):
        url = reverse(name, args=[study.slug, new.pk])
        assert signed_in(worker).post(url).status_code == 404
        assert signed_in(other).post(url).status_code == 404
    assert signed_in(worker).post(pages[-1], {"verdict": "passed"}).status_code == 404
    attempt.refresh_from_db()
    assert attempt.verdict == Verdict.FAILED


def test_an_annotator_reads_and_begins_their_own_only(study: Study) -> None:
    new = new_round(study)
    worker, other, stranger = MemberFactory(study=study), MemberFactory(study=study), UserFactory()
    attempt = go_through(new, worker)
    url = reverse("my_attempt", args=[attempt.pk])
    assert signed_in(worker).get(url).status_code == 200
    assert signed_in(other).get(url).status_code == 404
    client = Client()
    client.force_login(stranger)
    assert client.get(url).status_code == 404
    assert client.post(reverse("begin_round", args=[new.pk])).status_code == 404
    assert Client().get(reverse("my_rounds")).status_code == 302
    assert "No study of yours" in words(client, reverse("my_rounds"))


def test_who_is_removed_from_the_study_reads_its_rounds_no_more(study: Study, researcher: Member) -> None:
    new = new_round(study)
    url = reverse("study", args=[new.study.slug])
    client = signed_in(researcher)
    assert client.get(url).status_code == 200
    Member.objects.filter(pk=researcher.pk).update(user=None, former_user=researcher.user)
    assert client.get(url).status_code == 404


def test_a_round_is_made_of_a_corpus_keyed_and_opened(study: Study, researcher: Member) -> None:
    corpus = make_corpus(articles=1, questions=2, systems=("alder",), owner=researcher.user)
    client = signed_in(researcher)
    url = reverse("new_round", args=[study.slug])
    answer = client.post(url, {**SETTINGS, "corpus": corpus.pk, "scheme": "", "is_reviewed": "on"})
    made = Round.objects.get()
    assert answer.url == reverse("round", args=[study.slug, made.pk])
    assert (made.study.qualifies_for, made.study.corpus, made.is_reviewed) == (study, corpus, True)
    assert made.study.scheme_version == study.scheme_version
    client.post(reverse("open_round", args=[study.slug, made.pk]))
    assert made.study.batches.get().state == "draft"  # it has no accepted answers yet
    key = reverse("round_item_key", args=[study.slug, made.pk, 1])
    sent = {"accepted-correct": ["yes", "no"], "accepted-sentences": "2-3", "must_pass": "on", "explanation": "See."}
    assert client.post(key, sent).url == reverse("round_item_key", args=[study.slug, made.pk, 2])
    stored = ItemKey.objects.get()
    assert stored.accepted == {"correct": ["yes", "no"], "sentences": [2, 3]}
    assert (stored.must_pass, stored.explanation) == (True, "See.")
    client.post(reverse("open_round", args=[study.slug, made.pk]))
    assert made.study.batches.get().state == "open"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"title": ""}, "required"),
        ({"rule": "best"}, "How many of the best pass?"),
        ({"least_percent": "120"}, "Write a number from 0 to 100."),
        ({"attempts_allowed": "0"}, "Write a number from 1 to 100."),
        ({"valid_days": "9999"}, "Write a number from 1 to 3,650."),
        ({"corpus": ""}, "Choose a corpus or a study"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_typed_is_lost(
    study: Study, researcher: Member, wrong: dict[str, str], told: str
) -> None:
    corpus = make_corpus(articles=1, questions=1, systems=("alder",), owner=researcher.user)
    sent = {**SETTINGS, "corpus": str(corpus.pk), "valid_days": "77", **wrong}
    page = signed_in(researcher).post(reverse("new_round", args=[study.slug]), sent)
    assert page.status_code == 422
    assert told in page.content.decode()
    assert f'value="{sent["valid_days"]}"' in page.content.decode()
    assert not Round.objects.exists()


def test_a_study_that_nobody_annotates_becomes_a_round(study: Study) -> None:
    admin = MemberFactory(study=study, role=Role.ADMIN)
    existing = make_study(name="Small one")
    MemberFactory(study=existing, user=admin.user, role=Role.ADMIN)
    reader = MemberFactory(study=existing, role=Role.RESEARCHER)
    client = signed_in(admin)
    client.post(reverse("new_round", args=[study.slug]), {**SETTINGS, "existing": existing.pk})
    assert Round.objects.get().study == existing
    assert signed_in(reader).get(reverse("study", args=[existing.slug])).status_code == 404
    assert client.get(reverse("study", args=[existing.slug])).status_code == 200
    home = words(client, reverse("home"))
    assert home.count("Small one") == 1
    assert "Rounds of qualification" in home


def test_a_study_with_annotators_does_not_become_a_round(study: Study) -> None:
    admin = MemberFactory(study=study, role=Role.ADMIN)
    existing = open_study()
    MemberFactory(study=existing, user=admin.user, role=Role.ADMIN)
    MemberFactory(study=existing)
    page = signed_in(admin).post(reverse("new_round", args=[study.slug]), {**SETTINGS, "existing": existing.pk})
    assert page.status_code == 422
    assert "has annotators already" in page.content.decode()


def test_a_key_is_taken_from_csv_and_json_and_given_back_as_it_was(study: Study, researcher: Member) -> None:
    new = new_round(study, key=False)
    client = signed_in(researcher)
    url = reverse("round_key", args=[study.slug, new.pk])
    header = "item,aspect,accepted,must_pass,explanation\n"
    text = header + '1,correct,"yes, no",yes,"Said, in 2"\n1,sentences,none,,\n2,completeness,-,,\n'
    file = SimpleUploadedFile("key.csv", text.encode())
    assert client.post(url, {"file": file}).status_code == 302
    first, second = items_of(new)
    assert first.key is not None
    assert second.key is not None
    assert (first.key.accepted, first.key.must_pass) == ({"correct": ["yes", "no"], "sentences": []}, True)
    assert second.key.accepted == {"completeness": ["-"]}
    saved = client.get(reverse("round_key_file", args=[study.slug, new.pk])).content.decode()
    ItemKey.objects.all().delete()
    client.post(url, {"text": saved})
    assert [each.key.accepted for each in items_of(new) if each.key] == [first.key.accepted, second.key.accepted]
    assert items_of(new)[0].key.explanation == "Said, in 2"  # type: ignore[union-attr]
    client.post(url, {"text": json.dumps({"2": {"accepted": {"correct": ["no"]}, "must_pass": True}})})
    assert items_of(new)[1].key.accepted == {"correct": ["no"]}  # type: ignore[union-attr]


def test_a_key_with_marked_words_is_given_back_as_it_was(study: Study, researcher: Member) -> None:
    item = items_of(new_round(study, key=False))[0].item
    spans = [{"text": "answer", "start": 0, "end": 4, "label": "wrong", "note": "“=2”, not 3"}]
    key = ItemKey(item=item, accepted={"errors": spans, "more_errors": [], "correct": ["yes", "no"]})
    (read,) = read_key(write_key([RoundItem(1, item, key)], ["errors"]).encode())
    assert json.loads(read.accepted.pop("errors")) == spans
    assert read.accepted == {"more_errors": "none", "correct": "yes, no"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "There is nothing in it"),
        ("item,aspect\n1,correct\n", "these are missing: accepted"),
        ("item,aspect,accepted\n1,correct,perhaps\n", "Row 2, correct: “perhaps” is not one of the choices"),
        ("item,aspect,accepted\n1,correct,yes\n9,correct,yes\n", "Row 3: the round has no item 9"),
        (
            "item,aspect,accepted\n1,correct,yes\n1,correct,no\n",
            "“correct” of this item is there already (Row 2)",
        ),
        ("item,aspect,accepted\nx,correct,yes\n", "Row 2: “x” is no item"),
        ("item,aspect,accepted,must_pass\n1,correct,yes,perhaps\n", "“perhaps” is neither yes nor no"),
        ("item,aspect,accepted\n1,sentences,99\n", "Row 2, sentences"),
        ("item,aspect,accepted\n1,nothing,yes\n", "no such aspect"),
        ('{"1": {"accepted": ["yes"]}}', "Entry 1"),
        ('{"1": 5}', "Entry 1"),
        ("[1]", "Entry 1"),
        ("{", "This is not JSON"),
    ],
)
def test_a_file_with_a_mistake_stores_nothing_and_names_its_row(
    study: Study, researcher: Member, text: str, told: str
) -> None:
    new = new_round(study, key=False)
    page = signed_in(researcher).post(reverse("round_key", args=[study.slug, new.pk]), {"text": text})
    assert page.status_code == 422
    assert told in page.content.decode()
    assert not ItemKey.objects.exists()


def test_what_is_typed_wrong_on_the_page_of_an_item_stays(study: Study, researcher: Member) -> None:
    new = new_round(study, key=False)
    url = reverse("round_item_key", args=[study.slug, new.pk, 1])
    page = signed_in(researcher).post(url, {"accepted-sentences": "3, 99", "accepted-correct": ["yes"]})
    assert page.status_code == 422
    assert 'value="3, 99"' in page.content.decode()
    page = signed_in(researcher).post(url, {"must_pass": "on"})
    assert page.status_code == 422
    assert "needs an accepted answer" in page.content.decode()


def test_a_new_key_compares_anew_and_leaves_the_verdict(study: Study, researcher: Member) -> None:
    new = new_round(study)
    attempt = go_through(new, MemberFactory(study=study), {1: WRONG})
    client = signed_in(researcher)
    client.post(reverse("round_item_key", args=[study.slug, new.pk, 1]), {"accepted-correct": ["yes", "no"]})
    attempt.refresh_from_db()
    assert (attempt.matched, attempt.compared, attempt.verdict) == (3, 3, Verdict.FAILED)
    assert "the rule says passed" in words(client, reverse("round", args=[study.slug, new.pk]))


def test_a_reviewer_writes_notes_which_the_annotator_reads(study: Study, researcher: Member) -> None:
    new = new_round(study, rule=Rule.REVIEW)
    worker = MemberFactory(study=study)
    attempt = go_through(new, worker, {1: WRONG})
    client = signed_in(researcher)
    url = reverse("review_attempt", args=[study.slug, attempt.pk])
    first = new.study.items.order_by("position").first()
    assert first is not None
    assert "2 of 4 accepted answers match" in " ".join(words(client, url).split())
    sent = {f"note-{first.pk}": "Sentence 4 says so.", "note": "Read to the end."}
    page = client.post(url, sent)  # without a verdict
    assert page.status_code == 422
    assert "Sentence 4 says so." in page.content.decode()
    mine = reverse("my_attempt", args=[attempt.pk])
    assert "Sentence 4" not in words(signed_in(worker), mine)
    client.post(url, {**sent, "verdict": "passed"})
    read = words(signed_in(worker), mine)
    assert "Sentence 4 says so." in read
    assert "Read to the end." in read
    assert "Accepted:" not in read
    assert "合格しました" in words(signed_in(worker, "ja"), mine)


def test_accepted_answers_are_shown_only_where_the_round_says_so_and_after_the_last_attempt(study: Study) -> None:
    new = new_round(study, shows_answers=True, attempts_allowed=2)
    worker = MemberFactory(study=study)
    first = go_through(new, worker, {1: WRONG})
    assert "Accepted:" not in words(signed_in(worker), reverse("my_attempt", args=[first.pk]))
    second = go_through(new, worker, {1: WRONG})
    assert "Accepted:" in words(signed_in(worker), reverse("my_attempt", args=[second.pk]))


def test_an_annotator_begins_with_a_click_and_goes_on_where_they_stopped(study: Study) -> None:
    new = new_round(study)
    client = signed_in(worker := MemberFactory(study=study))
    assert "First pass the round" in words(client, reverse("work"))
    begin = reverse("begin_round", args=[new.pk])
    assert begin in words(client, reverse("my_rounds"))
    place = new.study.batches.get().hits.get()
    opened = client.post(begin)
    assert opened.url == reverse("instructions", args=[place.assignments.get().pk])
    assert client.get(opened.url).status_code == 200
    assert "Continue" in words(client, reverse("my_rounds"))
    assert client.get(reverse("judge", args=[place.assignments.get().pk, 1])).status_code == 200
    assert new.study.slug not in words(client, reverse("work"))
    go_through(new, worker)
    done = words(client, reverse("done", args=[place.assignments.get().pk]))
    assert reverse("my_rounds") in done
    assert "you can still change" not in done
    refused = client.post(begin, follow=True)
    assert "passed “Round 1” already" in refused.content.decode()


def test_consent_and_languages_come_before_the_tasks_of_a_round(study: Study) -> None:
    new, worker = new_round(study), MemberFactory(study=study)
    publish_text(study=study, texts={"en": "We store what you write."}, actor=OPERATOR)
    require_languages(study=study, codes=["ja"], actor=OPERATOR)
    client, begin = signed_in(worker), reverse("begin_round", args=[new.pk])
    assert client.post(begin).headers["Location"] == reverse("consent", args=[study.slug])
    with pytest.raises(NotEligibleError, match="please read what you agree to"):
        begin_attempt(round_=new, member=worker, actor=acts(worker))
    text = missing_text(worker)
    assert text is not None
    answer(member=worker, text=text, agreed=True, language="en", actor=OPERATOR)
    assert "Say which languages you read" in client.post(begin, follow=True).content.decode()
    assert not new.attempts.exists()
    state_languages(member=worker, codes=["ja"], actor=OPERATOR)
    place = begin_attempt(round_=new, member=worker, actor=acts(worker))
    publish_text(study=study, texts={"en": "We store what you write, and the time."}, actor=OPERATOR)
    assert reverse("instructions", args=[place.pk]) in client.post(begin).headers["Location"], "who has a task goes on"


def test_who_joins_by_an_invitation_is_led_to_the_round(study: Study, researcher: Member) -> None:
    new = new_round(study)
    invitation = create_invitation(study=study, role=Role.ANNOTATOR, actor=acts(researcher))
    client = Client()
    page = client.post(reverse("join", args=[token_of(invitation)]), {"who": "Ada"}, follow=True)
    assert "First pass the round of qualification" in page.content.decode()
    assert reverse("begin_round", args=[new.pk]) in words(client, reverse("my_rounds"))


def test_what_the_rule_proposes_is_confirmed_at_once(study: Study, researcher: Member) -> None:
    new = new_round(study, is_reviewed=True)
    right, wrong = go_through(new, MemberFactory(study=study)), go_through(new, MemberFactory(study=study), {1: WRONG})
    client = signed_in(researcher)
    assert "1 of them would pass, and 1 would not" in words(client, reverse("round", args=[study.slug, new.pk]))
    client.post(reverse("confirm_round", args=[study.slug, new.pk]))
    found = {each.pk: (each.verdict, each.decided_by) for each in new.attempts.all()}
    assert found == {right.pk: (Verdict.PASSED, researcher), wrong.pk: (Verdict.FAILED, researcher)}


def test_rounds_change_places(study: Study, researcher: Member) -> None:
    first, second = new_round(study), new_round(study, title="Round 2")
    worker = MemberFactory(study=study)
    client = signed_in(researcher)
    client.post(reverse("move_round_up", args=[study.slug, second.pk]))
    client.post(reverse("move_round_up", args=[study.slug, second.pk]))
    assert [each.round for each in standings_of(worker)] == [second, first]


def test_no_task_of_a_round_is_taken_by_its_address_alone(study: Study) -> None:
    new = new_round(study)
    worker = MemberFactory(study=study)
    client = signed_in(worker)
    assert client.post(reverse("take", args=[new.study.slug])).status_code == 404
    go_through(new, worker)
    assert client.post(reverse("take", args=[new.study.slug])).url.startswith(reverse("work"))
    assert new.study.batches.get().hits.get().assignments.count() == 1


def test_who_is_removed_goes_on_in_no_round(study: Study) -> None:
    new = new_round(study)
    worker = MemberFactory(study=study)
    place = begin_attempt(round_=new, member=worker, actor=acts(worker))
    remove_member(member=worker, actor=OPERATOR)
    with pytest.raises(AssignmentLostError):  # it was given back with all that they held
        submit(place, place.hit.items.first())
    client = Client()
    client.force_login(UserFactory._meta.model.objects.get(pk=worker.former_user_id))
    assert client.post(reverse("begin_round", args=[new.pk])).status_code == 404


def test_the_history_of_a_round_names_who_runs_it(study: Study, researcher: Member) -> None:
    new = new_round(study)
    client = signed_in(researcher)
    client.post(reverse("end_round", args=[study.slug, new.pk]))
    assert f"{researcher.pseudonym} closed batch 1" in words(client, reverse("history", args=[new.study.slug]))


def test_the_end_of_a_round_is_told_and_it_can_be_opened_again(study: Study, researcher: Member) -> None:
    new = new_round(study)
    client, worker = signed_in(researcher), MemberFactory(study=study)
    at_it = MemberFactory(study=study)
    begin_attempt(round_=new, member=at_it, actor=acts(at_it))
    client.post(reverse("end_round", args=[study.slug, new.pk]))
    assert "not open now" in words(signed_in(worker), reverse("my_rounds"))
    refused = client.post(reverse("end_round", args=[study.slug, new.pk]), follow=True)
    assert "has ended already" in refused.content.decode()
    client.post(reverse("open_round", args=[study.slug, new.pk]))
    assert begin_attempt(round_=new, member=worker, actor=acts(worker)).state == "claimed"


def test_who_had_begun_reads_that_the_round_has_ended_and_goes_on_when_it_opens_again(
    study: Study, researcher: Member
) -> None:
    new = new_round(study)
    client, at_it = signed_in(researcher), MemberFactory(study=study)
    place = begin_attempt(round_=new, member=at_it, actor=acts(at_it))
    first, second = place.hit.items.order_by("position")
    submit(place, first)
    page, theirs = reverse("round", args=[study.slug, new.pk]), signed_in(at_it)
    assert "1 person is at it" in markup(client.get(page))
    client.post(reverse("end_round", args=[study.slug, new.pk]))
    assert "1 not finished when it ended" in markup(client.get(page))
    assert "ended before you had finished" in words(theirs, reverse("my_rounds"))
    assert "Continue" not in words(theirs, reverse("work"))
    told = markup(theirs.get(reverse("my_attempt", args=[new.attempts.get().pk])))
    assert "The round has ended before you had finished it.</h2><p>That does not count against you" in told
    assert "Round 1: Look" not in told, "a link to the page itself"
    refused = theirs.post(reverse("take", args=[study.slug]), follow=True).content.decode()
    assert "has ended before you had finished it" in refused
    with pytest.raises(BatchClosedError):
        submit(place, second)
    client.post(reverse("open_round", args=[study.slug, new.pk]))
    assert begin_attempt(round_=new, member=at_it, actor=acts(at_it)).pk == place.pk
    submit(place, second)
    assert new.attempts.get().verdict == "passed"


def test_named_annotators_are_passed_by_hand_and_those_of_other_studies_are_not(
    study: Study, researcher: Member
) -> None:
    new = new_round(study)
    worker, foreign = MemberFactory(study=study), MemberFactory()
    url = reverse("round_by_hand", args=[study.slug, new.pk])
    client = signed_in(researcher)
    assert client.post(url, {"members": [worker.pk, foreign.pk], "verdict": "passed"}).status_code == 404
    assert not new.attempts.exists()
    client.post(url, {"members": [worker.pk], "verdict": "passed", "note": "From the pilot."})
    attempt = new.attempts.get()
    assert (attempt.member, attempt.verdict, attempt.number) == (worker, Verdict.PASSED, 0)
    assert "From the pilot." in words(signed_in(worker), reverse("my_attempt", args=[attempt.pk]))


def test_a_round_has_no_rounds_and_invites_nobody(study: Study, researcher: Member) -> None:
    new = new_round(study)
    client = signed_in(researcher)
    assert "It has no rounds of its own" in words(client, reverse("rounds", args=[new.study.slug]))
    page = client.post(reverse("invite", args=[new.study.slug]), {"role": "annotator", "days": "3"})
    assert page.status_code == 422
    assert "Invite people to the study that it qualifies for" in page.content.decode()
