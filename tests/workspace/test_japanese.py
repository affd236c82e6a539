"""The pages of a study in Japanese: what they say, what they ask, and why they refuse something."""

from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from annotation_platform.annotations.models import Annotation
from annotation_platform.studies.invitations import create_invitation
from annotation_platform.studies.models import Batch, Item, Member, Role, Study
from annotation_platform.studies.services import close_batch, pause_member, plan_batches
from annotation_platform.workspace.templatetags.batches import closing
from annotation_platform.workspace.templatetags.durations import duration
from tests.factories import LABELS, OPERATOR, MemberFactory, make_corpus, make_study, study_with_judgments
from tests.markup import markup
from tests.translations.pseudo import Data, left_in, texts_in_the_database, texts_of_presets

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def in_own_words(member: Member, item: Item) -> dict[str, Any]:
    """A judgment like no other, so that the monitor has nothing to say of it."""
    letters = (chr(0x4E00 + 7919 * (31 * item.pk + place * member.pk) % 20_000) for place in range(20))
    return {"reasons": "".join(letters), "completeness": LABELS[item.pk % 4]}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """Judged whole by two, one of whom is paused; with an invitation."""
    study = study_with_judgments(annotators=2, corpus=make_corpus(questions=2), name="Harbour", values=in_own_words)
    pause_member(member=study.members.get(pseudonym="A"), because="…", actor=OPERATOR)
    create_invitation(study=study, role=Role.ANNOTATOR, max_uses=3, actor=OPERATOR)
    return study


@pytest.fixture
def admin(study: Study) -> Member:
    member: Member = MemberFactory(study=study, role=Role.ADMIN, pseudonym="Finch")
    member.user.is_staff = True
    member.user.save()
    return member


@pytest.fixture
def reader(admin: Member) -> Client:
    client = Client(headers={"Accept-Language": "ja"})
    client.force_login(admin.user)
    return client


def address(name: str, study: Study, **parts: Any) -> str:
    return reverse(name, kwargs={"slug": study.slug, **parts})


def test_the_pages_say_nothing_in_english_but_what_people_wrote(study: Study, reader: Client) -> None:
    given = Annotation.objects.filter(item__study=study).first()
    assert given is not None
    place = {"number": given.assignment.hit.batch.number}
    pages = {
        "バッチ1": address("batch", study, **place),
        "提出しました。": address("assignment", study, pk=given.assignment_id, **place),
        "終了しました。": address("study", study),
        "3人中0人が参加": address("people", study),
        "研究をアーカイブする": address("study_settings", study),
        "判定の扱い": address("edit_scheme", study),
        "トークン": address("study_tokens", study),
        "履歴": address("history", study),
        "スキームは、アノテーターに何を見せ、何を尋ねるかを定めます。": reverse("build_study"),
        "いくつ必要ですか": reverse("plan"),
    }
    data = Data([*texts_in_the_database(), *texts_of_presets(), "English"])
    for words, path in pages.items():
        page = reader.get(path).content.decode()
        assert '<html lang="ja">' in page
        assert words in markup(reader.get(path)), path
        if path != reverse("plan"):  # its figures are told by the analysis
            assert left_in(page, data) == [], path


def test_a_field_and_a_refusal_are_in_japanese(study: Study, reader: Client) -> None:
    builder = reader.post(reverse("build_study"), {"do": "create", "scheme": "{"}).content.decode()
    assert "研究は作られませんでした。 スキームに誤りがあります。" in " ".join(builder.split())
    assert "研究に名前を付けてください。" in builder
    settings = reader.post(address("study_settings", study), {"step": "overlap", "overlap": "many"}).content.decode()
    assert 'id="overlap-error" role="alert">重複数は、3のような整数で' in settings
    people = reader.post(address("invite", study), {"role": "annotator", "days": "0"}).content.decode()
    assert "有効な日数" in people


def test_what_was_done_is_told_in_japanese(reader: Client, admin: Member) -> None:
    batch = Batch.objects.create(study=admin.study, number=9)
    opened = markup(reader.post(address("open_batch", admin.study, number=batch.number), follow=True))
    assert "バッチ9を公開しました。" in opened
    closed = markup(reader.post(address("close_batch", admin.study, number=batch.number), {"when": "now"}, follow=True))
    assert "バッチ9を締め切りました。続いて判定が採点されます。" in closed
    assert "に締め切られました（Finchによる）。" in closed
    assert Batch.objects.get(pk=batch.pk).closed_because == "by Finch"  # as it is kept


def test_an_invitation_is_in_the_language_of_its_reader_or_of_who_invites(reader: Client, study: Study) -> None:
    sent = {"role": "annotator", "days": "3", "email": "stranger@example.org"}
    reader.post(address("invite", study), sent)
    known = MemberFactory().user
    known.language = "en"
    known.save()
    reader.post(address("invite", study), sent | {"email": known.email})
    strange, english = mail.outbox
    assert strange.subject == "「Harbour」への招待"
    assert "研究「Harbour」にアノテーターとして招待されています。" in strange.body
    assert "You are invited to the study “Harbour” as annotator." in english.body


def test_lengths_of_time_and_reasons_of_closing_are_told_in_the_pages_language() -> None:
    assert [duration(each) for each in (0, 4.2, 75, 3600, 5460)] == ["0 s", "4 s", "1 min 15 s", "1 h", "1 h 31 min"]
    kept = ["deadline reached", "by Finch", "by Finch, after those at work", "somebody said so"]
    assert [closing(each) for each in kept] == kept
    with override("ja"):
        assert duration(75) == "1分 15秒"
        assert [closing(each) for each in kept] == [
            "締め切りのため",
            "Finchによる",
            "Finchによる、作業中の人が終えた後",
            "somebody said so",
        ]


def test_a_draft_and_its_dialogs_are_in_japanese() -> None:
    study = make_study(corpus=make_corpus(questions=2), name="Quay")
    first, *_ = plan_batches(study=study)
    client = Client(headers={"Accept-Language": "ja"})
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="Finch").user)
    page = client.get(address("study", study))
    assert "バッチ1を公開しますか。" in markup(page)
    assert "割り当ては1件に2ずつです。" in markup(page)
    assert (
        left_in(client.get(address("study", study)).content.decode(), Data([*texts_in_the_database(), "English"])) == []
    )
    assert not close_batch(batch=first, because="…", actor=OPERATOR)


def test_roles_are_told_in_the_pages_language_whatever_it_was_before() -> None:
    told = {"en": ["Annotator", "Researcher", "Admin"], "ja": ["アノテーター", "研究者", "管理者"]}
    for language in ("en", "ja", "en"):
        with override(language):
            assert [Member(role=role).get_role_display() for role in Role] == told[language]
