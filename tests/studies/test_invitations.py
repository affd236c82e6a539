"""An invitation says what the study is, lets somebody in by one step, and can be withdrawn."""

import re
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from annotation_platform.accounts.models import User
from annotation_platform.accounts.personal_links import link_token
from annotation_platform.annotations.models import Annotation
from annotation_platform.studies import invitations
from annotation_platform.studies.invitations import accept_invitation, create_invitation, mail_token, token_of
from annotation_platform.studies.models import Invitation, Member, Role, Study
from annotation_platform.studies.services import archive_study, claim_assignment, remove_member
from tests.factories import OPERATOR, PASSWORD, MemberFactory, UserFactory, make_corpus, make_study, open_study, submit

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(autouse=True)
def no_counts_of_other_tests() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return make_study(name="Mine")


def link(study: Study, role: Role = Role.ANNOTATOR, **settings: Any) -> str:
    return reverse("join", args=[token_of(create_invitation(study=study, role=role, **settings, actor=OPERATOR))])


def mailed(study: Study, email: str) -> str:
    invitation = create_invitation(study=study, role=Role.ANNOTATOR, max_uses=1, actor=OPERATOR)
    return reverse("join_by_mail", args=[mail_token(invitation, email)])


def words(page: str) -> str:
    return re.sub(r"\s+", " ", strip_tags(page))


class TestWhatInvitedPeopleSee:
    def test_it_says_what_the_study_is_and_what_is_stored_to_anybody_who_has_the_link(
        self, client: Client, study: Study
    ) -> None:
        page = words(client.get(link(study)).content.decode())
        assert "Mine" in page
        assert study.scheme().description in page
        assert "You have 60 minutes for a task" in page
        assert f"A task has at most {study.questions_per_hit} questions." in page
        assert "What is stored" in page
        assert "when you did something here, and from which network address" in page  # every event keeps it
        assert "Pay" not in page

    def test_it_says_what_the_researcher_wrote(self, client: Client, study: Study) -> None:
        Study.objects.update(about="We compare <ferries>.", task_minutes=12, pay="€2.50 a task")
        page = client.get(link(study)).content.decode()
        assert "We compare &lt;ferries&gt;." in page
        assert "A task takes about 12 minutes." in words(page)
        assert "€2.50 a task" in page

    def test_it_says_how_many_tasks_one_person_gets(self, client: Client, study: Study) -> None:
        address = link(study)
        for in_all, a_day, told in (
            (None, None, "You do as many as you like, and can stop at any time."),
            (3, None, "You can do up to 3 tasks, and can stop at any time."),
            (1, None, "You can do one task, and can stop at any time."),
            (None, 2, "You do as many as you like, and can stop at any time. Within 24 hours you get up to 2 tasks."),
            (9, 1, "You can do up to 9 tasks, and can stop at any time. Within 24 hours you get one task."),
        ):
            Study.objects.update(most_tasks=in_all, most_tasks_a_day=a_day)
            page = words(client.get(address).content.decode())
            assert told in page
            assert ("as many as you like" in page) == (in_all is None)

    def test_who_is_in_the_study_in_another_role_is_told_that_the_link_leaves_it(
        self, client: Client, study: Study
    ) -> None:
        member = MemberFactory(study=study)
        client.force_login(member.user, backend="allauth.account.auth_backends.AuthenticationBackend")
        page = words(client.get(link(study, Role.RESEARCHER)).content.decode())
        assert "You stay annotator: no link changes that." in page
        assert "Go to the tasks" in page
        assert "Open the study" not in page
        assert "no link changes that" not in client.get(link(study)).content.decode()
        Member.objects.filter(pk=member.pk).update(role=Role.ADMIN)
        page = words(client.get(link(study)).content.decode())
        assert "You stay admin" in page
        assert "Open the study" in page

    def test_it_tells_the_measured_median_once_enough_tasks_were_timed(self, client: Client) -> None:
        study = open_study(corpus=make_corpus(articles=5, questions=1, systems=("alder",)), overlap=1)
        Study.objects.update(task_minutes=90)
        annotator = MemberFactory(study=study)
        for seconds in (60, 120, 240, 600, 6000):
            place = claim_assignment(annotator=annotator, actor=OPERATOR)
            submit(place, place.hit.items.get())
            Annotation.objects.filter(assignment=place).update(seconds=seconds)
        assert "about 4 minutes (the median" in words(client.get(link(study)).content.decode())

    def test_it_speaks_japanese_and_shows_no_demo_buttons(self, client: Client, study: Study, settings: Any) -> None:
        settings.DEMO = True
        page = client.get(link(study), headers={"Accept-Language": "ja"}).content.decode()
        assert "保存されるもの" in page
        assert "demo/annotator" not in page


class TestJoining:
    def test_a_name_leads_straight_into_the_first_task_and_a_link_leads_back(self, client: Client) -> None:
        study = open_study(name="Open")
        response = client.post(link(study), {"who": "Ada"}, follow=True)
        member = study.members.get()
        assert member.user is not None
        assert (member.role, member.user.first_name, member.user.has_usable_password()) == ("annotator", "Ada", False)
        assert response.redirect_chain[-1][0] == reverse("instructions", args=[member.assignments.get().pk])
        page = response.content.decode()
        back = re.search(r"<code[^>]*>http://testserver(/come-back/\S+/)</code>", page)
        assert back
        elsewhere = Client()
        assert "_auth_user_id" not in elsewhere.session
        assert "as Ada" in elsewhere.get(back[1]).content.decode()
        assert "_auth_user_id" not in elsewhere.session  # a look does not sign in
        assert elsewhere.post(back[1]).url == reverse("work")
        assert elsewhere.session["_auth_user_id"] == str(member.user.pk)
        for page in ("home", "work"):
            assert "Ada" in elsewhere.get(reverse(page)).content.decode()

    def test_an_address_gets_a_link_and_the_link_leads_straight_into_the_first_task(self, client: Client) -> None:
        study = open_study(name="Open")
        page = client.post(link(study), {"who": "Ada@Example.org"}).content.decode()
        assert "on its way to ada@example.org" in page
        assert not study.members.exists()
        assert not User.objects.filter(email="ada@example.org").exists()
        (sent,) = mail.outbox
        assert sent.to == ["ada@example.org"]
        found = re.search(r"http://testserver(/join-by-mail/\S+/)", str(sent.body))
        assert found
        elsewhere = Client()
        assert "ada@example.org" in elsewhere.get(found[1]).content.decode()
        assert not study.members.exists()
        assert elsewhere.post(found[1]).url == reverse("instructions", args=[study.batches.get().hits.all()[0].pk]) or (
            study.members.get().assignments.exists()
        )
        assert EmailAddress.objects.get().verified
        assert elsewhere.get(found[1]).url == reverse("work")  # the same person again
        stranger = Client()
        for used in (stranger.get(found[1]), stranger.post(found[1])):
            assert used.status_code == 422
            assert "This link has been used" in used.content.decode()
        assert "_auth_user_id" not in stranger.session
        assert study.members.count() == 1

    def test_who_came_in_by_one_mail_comes_into_another_study_by_another(self, client: Client, study: Study) -> None:
        second = open_study(name="Open")
        to_first, to_second = mailed(study, "ada@example.org"), mailed(second, "ada@example.org")
        client.post(to_first)
        stranger = Client()
        for refused in (stranger.get(to_second), stranger.post(to_second)):
            assert refused.status_code == 422
            assert "Sign in with ada@example.org, then follow it again" in words(refused.content.decode())
        assert "_auth_user_id" not in stranger.session
        assert "You join as ada@example.org" in client.get(to_second).content.decode()
        assert not second.members.exists()
        assert "/assignments/" in client.post(to_second).url
        (member,) = second.members.all()
        assert (member.user, member.invitation) == (study.members.get().user, second.invitations.get())
        assert client.get(to_second).url == reverse("work")
        assert "This link has been used" in stranger.get(to_second).content.decode()

    def test_a_mailed_link_lets_nobody_in_who_was_removed(self, client: Client, study: Study) -> None:
        first = mailed(study, "ada@example.org")
        client.post(first)
        remove_member(member=study.members.get(), actor=OPERATOR)
        assert client.post(first).status_code == 422
        assert client.post(mailed(study, "ada@example.org")).status_code == 422
        assert not study.members.exclude(user=None).exists()

    def test_an_address_that_has_an_account_gets_the_same_words(self, client: Client, study: Study) -> None:
        UserFactory(email="ada@example.org")
        address = link(study)
        pages = [client.post(address, {"who": who}).content.decode() for who in ("ada@example.org", "bob@example.org")]
        assert pages[0].replace("ada@", "bob@").split("</header>")[1] == pages[1].split("</header>")[1]

    def test_a_mailed_link_does_not_enter_an_account_of_the_platforms_staff(self, client: Client, study: Study) -> None:
        User.objects.create_superuser("root@example.org", PASSWORD)
        client.post(link(study), {"who": "root@example.org"})
        found = re.search(r"http://testserver(/join-by-mail/\S+/)", str(mail.outbox[0].body))
        assert found
        assert client.post(found[1]).status_code == 422
        assert "_auth_user_id" not in client.session

    def test_a_password_that_nobody_had_proved_ends_when_the_mail_arrives(
        self, client: Client, study: Study, settings: Any
    ) -> None:
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
        squatted = UserFactory(email="ada@example.org")
        EmailAddress.objects.create(user=squatted, email="ada@example.org", primary=True, verified=False)
        client.post(link(study), {"who": "ada@example.org"})
        found = re.search(r"http://testserver(/join-by-mail/\S+/)", str(mail.outbox[0].body))
        assert found
        client.post(found[1])
        squatted.refresh_from_db()
        assert not squatted.has_usable_password()

    @pytest.mark.parametrize(("who", "why"), [("", "Write a name"), ("ada@", "This is no e-mail address")])
    def test_what_cannot_be_is_said_and_what_was_typed_stays(
        self, client: Client, study: Study, who: str, why: str
    ) -> None:
        response = client.post(link(study), {"who": who})
        page = response.content.decode()
        assert (response.status_code, study.members.count(), User.objects.count()) == (422, 0, 0)
        assert why in page
        assert f'value="{who}"' in page or not who

    def test_somebody_signed_in_joins_on_a_click(self, client: Client, study: Study) -> None:
        user = UserFactory()
        client.force_login(user)
        assert not study.members.exists()
        assert client.post(link(study)).url == reverse("work")  # no batch is open
        assert study.members.get(user=user).role == Role.ANNOTATOR

    def test_a_researcher_needs_an_account(self, client: Client, study: Study) -> None:
        address = link(study, Role.RESEARCHER)
        assert "need an account with a password" in client.get(address).content.decode()
        assert client.post(address, {"who": "Ada"}).url.startswith(reverse("account_login"))
        assert not study.members.exists()
        passwords = {"password1": PASSWORD, "password2": PASSWORD}
        back = client.post(reverse("account_signup"), {"email": "new@example.org", "next": address, **passwords})
        assert back.url == address
        assert client.post(back.url).url == reverse("study", args=[study.slug])

    def test_following_it_again_changes_nothing(self, client: Client, study: Study) -> None:
        member = MemberFactory(study=study, role=Role.ANNOTATOR)
        client.force_login(member.user)
        client.post(link(study, Role.ADMIN))
        assert study.members.get().role == Role.ANNOTATOR
        assert Invitation.objects.get().uses == 0

    def test_a_personal_link_can_be_renewed_and_passwords_need_none(self, client: Client) -> None:
        guest = User.objects.create_guest("Ada")
        old = reverse("come_back", args=[link_token(guest, actor=OPERATOR)])
        client.force_login(guest)
        new = re.search(r"http://testserver(/come-back/\S+?/)<", client.post(reverse("personal_link")).content.decode())
        assert new
        assert Client().get(old).status_code == 422
        assert Client().get(new[1]).status_code == 200
        guest.set_password(PASSWORD)
        guest.save()
        assert Client().get(new[1]).status_code == 422

    def test_who_joined_by_mail_comes_back_by_a_code(self, client: Client) -> None:
        user = User.objects.create_user("ada@example.org")
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
        client.post(reverse("account_request_login_code"), {"email": "ada@example.org"})
        code = re.search(r"^([A-Z0-9-]{6,})$", str(mail.outbox[0].body), re.MULTILINE)
        assert code
        client.post(reverse("account_confirm_login_code"), {"code": code[1]})
        assert client.session["_auth_user_id"] == str(user.pk)


class TestWhatAnInvitationAllows:
    @pytest.mark.parametrize("spoil", [lambda t: t[:-1], lambda t: "9" + t, lambda t: "nonsense"])
    def test_a_damaged_link_lets_nobody_in(self, client: Client, study: Study, spoil: Any) -> None:
        token = token_of(create_invitation(study=study, role=Role.ADMIN, actor=OPERATOR))
        address = reverse("join", args=[spoil(token)])
        for response in (client.get(address), client.post(address, {"who": "Ada"})):
            assert response.status_code == 422
            assert "This invitation is not valid" in response.content.decode()
        assert not study.members.exists()

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"expires_at": timezone.now() - timedelta(seconds=1)}, "too old"),
            ({"revoked_at": timezone.now()}, "withdrawn"),
            ({"max_uses": 2, "uses": 2}, "used already"),
        ],
    )
    def test_a_closed_link_lets_nobody_in(self, client: Client, study: Study, change: Any, why: str) -> None:
        address = link(study)
        Invitation.objects.update(**change)
        response = client.post(address, {"who": "Ada"})
        assert (response.status_code, study.members.count(), User.objects.count()) == (422, 0, 0)
        assert why in response.content.decode()

    def test_a_link_for_one_lets_one_in(self, study: Study) -> None:
        address = link(study, max_uses=1)
        assert Client().post(address, {"who": "Ada"}).status_code == 302
        assert Client().post(address, {"who": "Bob"}).status_code == 422
        assert study.members.count() == Invitation.objects.get().uses == 1

    def test_two_that_looked_at_the_same_time_do_not_both_get_the_last_use(self, study: Study) -> None:
        invitation = create_invitation(study=study, role=Role.ANNOTATOR, max_uses=1, actor=OPERATOR)
        stale = Invitation.objects.get(pk=invitation.pk)
        accept_invitation(invitation=invitation, user=UserFactory(), actor=OPERATOR)
        with pytest.raises(invitations.InvitationError, match="used already"):
            accept_invitation(invitation=stale, user=UserFactory(), actor=OPERATOR)

    def test_a_removed_person_cannot_come_back_by_any_old_link(self, client: Client, study: Study) -> None:
        address, other = link(study), link(study)
        client.post(address, {"who": "Ada"})
        member = study.members.get()
        remove_member(member=member, actor=OPERATOR)
        for each in (address, other):
            response = client.post(each)
            assert response.status_code == 422
        assert "Only its admin can let you in again" in response.content.decode()
        assert Client().post(address, {"who": "Somebody else"}).status_code == 422  # the link they came by is revoked
        assert list(Member.objects.filter(study=study)) == [member]

    def test_the_command_prints_a_link_that_works_and_can_be_revoked(self, client: Client, study: Study) -> None:
        output = StringIO()
        call_command(
            "invite", "Mine", role="researcher", site="https://x.example.org/", stdout=output, stderr=StringIO()
        )
        address = output.getvalue().strip().removeprefix("https://x.example.org")
        client.force_login(UserFactory())
        client.post(address)
        assert study.members.get().role == Role.RESEARCHER
        Invitation.objects.update(revoked_at=timezone.now())
        assert client.get(address).status_code == 422


def test_the_command_s_link_leads_to_where_the_platform_is_said_to_be(study: Study, settings: Any) -> None:
    settings.PLATFORM_URL = "https://annotate.example.org:8443"
    output = StringIO()
    call_command("invite", "Mine", stdout=output, stderr=StringIO())
    assert output.getvalue().startswith("https://annotate.example.org:8443/join/")


def test_the_command_wants_the_whole_address_of_the_site(study: Study) -> None:
    with pytest.raises(CommandError, match="write the whole address, such as https"):
        call_command("invite", "Mine", site="annotate.example.org")
    assert not study.invitations.exists()


def test_the_command_refuses_more_uses_than_the_page(study: Study) -> None:
    for uses in (0, -3, 100_001, 10**14):
        with pytest.raises(CommandError, match="from 1 to 100,000, or left out"):
            call_command("invite", "Mine", uses=uses, stdout=StringIO(), stderr=StringIO())
    assert not study.invitations.exists()


class TestArchivedStudies:
    def test_nobody_is_invited_to_annotate_one(self, client: Client, study: Study) -> None:
        researcher = MemberFactory(study=study, role=Role.RESEARCHER)
        archive_study(study=study, actor=OPERATOR)
        client.force_login(researcher.user)
        answer = client.post(reverse("invite", args=[study.slug]), {"role": "annotator", "days": 7, "note": "class 2b"})
        assert answer.status_code == 422
        page = words(answer.content.decode())
        assert "The study is archived, so annotators would get no task." in page
        assert "class 2b" in answer.content.decode()  # what was typed stays
        with pytest.raises(CommandError, match="The study is archived"):
            call_command("invite", study.name, site="https://example.org", stdout=StringIO(), stderr=StringIO())
        assert not Invitation.objects.exists()

    def test_researchers_can_still_be_invited_to_read_it(self, study: Study) -> None:
        archive_study(study=study, actor=OPERATOR)
        assert link(study, Role.RESEARCHER)
