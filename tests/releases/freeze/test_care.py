"""What may say who somebody is waits for a person before a release is frozen."""

import re
from typing import Any

import pytest

from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import ConflictError
from annotation_platform.crowd.languages.services import state_languages
from annotation_platform.releases.freeze import jobs
from annotation_platform.releases.freeze.care import (
    PATTERNS,
    _any_of,
    _mentions_in,
    _Names,
    _said_in,
    people_in,
    signatures_of,
)
from annotation_platform.releases.freeze.resemblance import band, small_groups
from annotation_platform.releases.freeze.services import settle_findings
from annotation_platform.releases.models import Finding, Release
from annotation_platform.studies.models import Item, Member, Role, Study
from annotation_platform.studies.services import change_study, close_batch, reopen_batch
from tests.factories import OPERATOR, close_all, study_with_judgments
from tests.releases.freeze.frozen import asked, worked

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
Kind = Finding.Kind


def wrote(text: str, annotators: int = 5) -> Study:
    """A study in which annotator A wrote this about the first item, and nothing of the kind is elsewhere."""

    def values(member: Member, item: Item) -> dict[str, Any]:
        is_it = member.pseudonym == "A" and item.position == 1 and item.hit.position == 1
        return {"correct": "yes", "completeness": "complete", "reasons": text if is_it else "Nothing is missing here."}

    return study_with_judgments(annotators=annotators, values=values)


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("Ask ada.lovelace@example.org about it.", Kind.EMAIL, "ada.lovelace@example.org"),
        ("See https://example.org/me?x=1.", Kind.WEB, "https://example.org/me?x=1"),
        ("私は www.example.jp/名前 です。", Kind.WEB, "www.example.jp/名前"),
        ("I am A1B2C3D4E5F6G7 on the platform", Kind.PLATFORM_ID, "A1B2C3D4E5F6G7"),
        ("pid 5f2b0c9d8e7a6b5c4d3e2f1a", Kind.PLATFORM_ID, "5f2b0c9d8e7a6b5c4d3e2f1a"),
        ("Call +81 3-1234-5678 please", Kind.PHONE, "+81 3-1234-5678"),
    ],
)
def test_what_patterns_tell_is_found_with_its_place(text: str, kind: Kind, found: str) -> None:
    release = asked(wrote(text))
    assert release.status == Release.Status.DRAFT
    finding = release.findings.get()
    assert (finding.kind, finding.text) == (kind, found)
    assert finding.times >= 1
    assert found in finding.example


@pytest.mark.parametrize("text", ["It took place in 1969, at 12:30.", "Sentences 3, 5-7 say 1,200,000.", "b@d grammar"])
def test_numbers_and_the_like_are_not_found(text: str) -> None:
    assert asked(wrote(text)).status == Release.Status.DONE


def test_names_of_accounts_are_found() -> None:
    study = wrote("Grace Hopper told me that it is right.")
    User.objects.filter(memberships__study=study, memberships__pseudonym="B").update(first_name="grace hopper")
    finding = asked(study).findings.get()
    assert (finding.kind, finding.text) == (Kind.ACCOUNT, "Grace Hopper")


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("私のIDは5f8d0d55b54764421b7156c1です", Kind.PLATFORM_ID, "5f8d0d55b54764421b7156c1"),
        ("ワーカーA1B2C3D4E5F6G7です", Kind.PLATFORM_ID, "A1B2C3D4E5F6G7"),
        ("電話は+81 90 1234 5678です", Kind.PHONE, "+81 90 1234 5678"),
        ("詳しくはhttps://example.com/taro を見てください", Kind.WEB, "https://example.com/taro"),
        ("連絡先はtaro.y@example.co.jpまでです", Kind.EMAIL, "taro.y@example.co.jp"),
        ("もっと詳しく書いてほしいのでmüller@example.comへ", Kind.EMAIL, "müller@example.com"),
        ("名前は山田太郎です", Kind.ACCOUNT, "山田太郎"),
        ("名前は佐藤花子です", Kind.ACCOUNT, "佐藤花子"),
        ("名前は林太郎です", Kind.ACCOUNT, "林太郎"),
        ("わたしはTaro Yamadaです", Kind.ACCOUNT, "Taro Yamada"),
        ("저는 김철수입니다", Kind.ACCOUNT, "김철수"),
        ("Меня зовут Иван Петров.", Kind.ACCOUNT, "Иван Петров"),
    ],
)
def test_what_stands_among_kana_and_kanji_is_found(text: str, kind: Kind, found: str) -> None:
    accounts = ("山田太郎", "佐藤 花子", "林太郎", "taro yamada", "김철수", "иван петров")
    names = _Names(dict.fromkeys(accounts, Kind.ACCOUNT))
    assert [each[1:] for each in _mentions_in(["Nothing.", text, "何もない。"], names)] == [(kind, found)]


@pytest.mark.parametrize(
    "text",
    ["x5f8d0d55b54764421b7156c1", "5f8d0d55b54764421b7156c1a", "Иван Петрович", "Taro Yamadas", "合計は0012です"],
)
def test_a_part_of_a_longer_word_is_not_found(text: str) -> None:
    names = _Names(dict.fromkeys(("taro yamada", "иван петров"), Kind.ACCOUNT))
    assert not list(_mentions_in([text], names))


@pytest.mark.parametrize("text", ["名前は山田太郎です", "名前は山田 太郎です", "名前は山田\u3000太郎です"])
def test_a_name_with_the_blank_of_a_japanese_keyboard_is_found(text: str) -> None:
    study = wrote(text)
    User.objects.filter(memberships__study=study, memberships__pseudonym="B").update(first_name="山田\u3000太郎")
    assert [each.kind for each in asked(study).findings.all()] == [Kind.ACCOUNT]


def test_with_other_rules_it_is_looked_through_again(monkeypatch: pytest.MonkeyPatch) -> None:
    release = asked(wrote("Nothing."))
    people = people_in(release)
    before = signatures_of(release, people)
    assert signatures_of(release, people) == before
    monkeypatch.setitem(PATTERNS, Kind.WEB, re.compile("Nothing"))
    assert signatures_of(release, people)["everything"] != before["everything"]


def test_names_of_two_kanji_are_found() -> None:
    study = wrote("これは花子が言った。")
    User.objects.filter(memberships__study=study, memberships__pseudonym="B").update(first_name="花子")
    finding = asked(study).findings.get()
    assert (finding.kind, finding.text) == (Kind.ACCOUNT, "花子")


def test_few_annotators_are_said_to_be_few() -> None:
    finding = asked(wrote("Nothing.", annotators=3)).findings.get()
    assert (finding.kind, finding.text) == (Kind.FEW, "3")


def test_groups_are_found_by_the_fewest_traits_that_tell_them_apart() -> None:
    study = study_with_judgments(annotators=10)
    members = list(study.members.filter(role=Role.ANNOTATOR).order_by("pk"))
    for number, member in enumerate(members):
        state_languages(member=member, codes=["en"] if number < 5 else ["ja"], actor=OPERATOR)
    few = Annotation.objects.filter(annotator__in=[*members[:3], *members[5:7]], item__hit__position__gt=1)
    few.update(is_current=False)
    release = asked(study)
    finding = release.findings.get()
    assert (finding.kind, finding.text, finding.times) == (Kind.GROUP, "languages and number of judgments", 10)
    assert finding.example.startswith("2 annotators: languages ")
    assert finding.example.count(";") == 3
    removed = {finding.pk: Finding.Verdict.REMOVED}  # no text can be replaced, so it stays open
    assert not settle_findings(release=release, verdicts=removed, actor=OPERATOR)
    settle_findings(release=release, verdicts={finding.pk: Finding.Verdict.KEPT}, actor=OPERATOR)
    sheet = (worked(release).folder / "datasheet.md").read_text()
    assert "by languages and number of judgments: 10 annotators" in sheet


def test_the_smallest_combinations_alone_are_named() -> None:
    people = {n: {"a": "x" if n < 6 else "y", "b": "x" if n % 2 else "y", "c": "x" if n else "y"} for n in range(12)}
    found = {each.traits: each for each in small_groups(people, 3)}
    assert set(found) == {("c",)}
    found = {each.traits: each for each in small_groups(people, 4)}
    assert set(found) == {("c",), ("a", "b")}
    assert found["a", "b"].people == 12
    assert (band(1), band(4), band(49), band(50_000)) == ("1", "2–4", "20–49", "10,000 or more")


def test_nothing_is_frozen_before_all_is_settled_and_removed_texts_are_gone() -> None:
    release = asked(wrote("I am ada@example.org, or https://example.org/ada."))
    findings = {finding.kind: finding for finding in release.findings.all()}
    assert not settle_findings(
        release=release, verdicts={findings[Kind.EMAIL].pk: Finding.Verdict.REMOVED}, actor=OPERATOR
    )
    assert not release.folder.exists() or not release.digest
    assert settle_findings(release=release, verdicts={findings[Kind.WEB].pk: Finding.Verdict.KEPT}, actor=OPERATOR)
    release = worked(release)
    assert release.status == Release.Status.DONE, release.error
    for name in ("judgments.csv", "judgments.jsonl"):
        text = (release.folder / "data" / name).read_text()
        assert "ada@example.org" not in text
        assert "I am [removed], or https://example.org/ada." in text
    assert "An e-mail address: 1 replaced, 0 left" in (release.folder / "datasheet.md").read_text()
    with pytest.raises(ConflictError):
        settle_findings(release=release, verdicts={}, actor=OPERATOR)


def test_what_is_new_while_it_waits_is_looked_through_before_it_is_frozen() -> None:
    def values(member: Member, item: Item) -> dict[str, Any]:
        text = f"I am {member.pseudonym.lower()}{item.hit.batch.number}@example.org."
        is_it = member.pseudonym == "A"
        return {"correct": "yes", "completeness": "complete", "reasons": text if is_it else "Nothing is missing here."}

    study = study_with_judgments(annotators=5, values=values, close=False, hits_per_batch=1)
    first, *_ = study.batches.order_by("number")
    close_batch(batch=first, because="by hand", actor=OPERATOR)
    release = asked(study)
    (known,) = release.findings.all()
    assert known.text == "a1@example.org"
    close_all(study)
    change_study(study=study, about="Ask eve@example.org.", actor=OPERATOR)
    settle_findings(release=release, verdicts={known.pk: Finding.Verdict.REMOVED}, actor=OPERATOR)
    release = worked(release)
    assert release.status == Release.Status.DRAFT, "nobody has settled what is new"
    verdicts = {each.text: each.verdict for each in release.findings.all()}
    assert verdicts.pop("a1@example.org") == Finding.Verdict.REMOVED
    assert {"a2@example.org", "eve@example.org"} <= set(verdicts)
    assert set(verdicts.values()) == {Finding.Verdict.OPEN}
    gone = dict.fromkeys(release.findings.values_list("pk", flat=True), Finding.Verdict.REMOVED)
    settle_findings(release=release, verdicts=gone, actor=OPERATOR)
    release = worked(release)
    assert release.status == Release.Status.DONE, release.error
    assert not any(b"example.org" in file.read_bytes() for file in release.folder.rglob("*.*"))


def test_a_batch_that_closes_while_files_are_written_is_in_the_release_and_stays_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def values(member: Member, item: Item) -> dict[str, Any]:
        is_it = member.pseudonym == "A" and item.hit.batch.number == 2
        text = "I am ada@example.org." if is_it else "Nothing is missing here."
        return {"correct": "yes", "completeness": "complete", "reasons": text}

    def write_and_close(**given: Any) -> Any:
        written = write(**given)
        if second.closed_at is None:
            close_batch(batch=second, because="by hand", actor=OPERATOR)
        return written

    write = jobs.write_release
    monkeypatch.setattr(jobs, "write_release", write_and_close)
    study = study_with_judgments(annotators=5, values=values, close=False, hits_per_batch=1)
    first, second, *_ = study.batches.order_by("number")
    close_batch(batch=first, because="by hand", actor=OPERATOR)
    release = asked(study)
    assert (release.status, release.frozen_at) == (Release.Status.DRAFT, None)
    (found,) = release.findings.all()
    assert found.text == "ada@example.org"
    settle_findings(release=release, verdicts={found.pk: Finding.Verdict.REMOVED}, actor=OPERATOR)
    release = worked(release)
    assert release.status == Release.Status.DONE, release.error
    with pytest.raises(ConflictError):
        reopen_batch(batch=second, actor=OPERATOR)


def test_whoever_came_while_it_waits_is_looked_for() -> None:
    release = asked(wrote("Grace Hopper told me, and so did ada@example.org."))
    (known,) = release.findings.all()
    User.objects.filter(memberships__study=release.study, memberships__pseudonym="B").update(first_name="Grace Hopper")
    settle_findings(release=release, verdicts={known.pk: Finding.Verdict.KEPT}, actor=OPERATOR)
    release = worked(release)
    assert release.status == Release.Status.DRAFT
    assert {each.text: each.verdict for each in release.findings.all()} == {
        "ada@example.org": Finding.Verdict.KEPT,
        "Grace Hopper": Finding.Verdict.OPEN,
    }


def test_that_few_are_few_is_settled_for_these_alone() -> None:
    study = wrote("Nothing.", annotators=4)
    a, *_, d = study.members.filter(role=Role.ANNOTATOR).order_by("pseudonym")
    of_d = Annotation.objects.filter(annotator=d)
    of_d.update(is_current=False)
    release = asked(study)
    (few,) = release.findings.all()
    assert (few.kind, few.text) == (Kind.FEW, "3")
    of_d.update(is_current=True)
    Annotation.objects.filter(annotator=a).update(is_current=False)
    settle_findings(release=release, verdicts={few.pk: Finding.Verdict.KEPT}, actor=OPERATOR)
    release = worked(release)
    (again,) = release.findings.all()
    assert (release.status, again.text, again.verdict) == (Release.Status.DRAFT, "3", Finding.Verdict.OPEN)
    settle_findings(release=release, verdicts={again.pk: Finding.Verdict.KEPT}, actor=OPERATOR)
    assert worked(release).status == Release.Status.DONE


WORDS = [
    "Grace Hopper",
    "hopper",
    "grace",
    "A-0001",
    "a-0002",
    "+lee",
    "Straße 5",
    "x@y.org",
    "Ko\u0308nig",
    "山田 花子",
    "kim",
    "山田太郎",
    "김철수",
    "Иван",
    "Taro山",
    "林",
]
TEXTS = [
    "GRACE HOPPER and Hopper, graceful; A-0001. A-0003 +LEE (x@y.org)",
    "STRASSE 5 strasse 5, straße 5; KÖNIG ko\u0308nig",
    "山田 花子 は山田花子。 KIM \u212aim kımberly \u0130 +81 3-1234-5678 www.example.org",
    "A1B2C3D4E5F6G7 5f2b0c9d8e7a6b5c4d3e2f1a 0049 30 1234567 https://a.example/b",
    "名前は山田太郎です。Kimさん、hopperだ。김철수입니다 ИВАНОВ Иван、taro山本、林",
    "",
]


def test_what_is_told_sooner_hides_nothing() -> None:
    """As if every pattern and every name were tried at each place of each text."""
    kinds = {name.casefold(): Kind.ACCOUNT for name in WORDS}
    any_name, names = _any_of(kinds), _Names(kinds)
    assert any_name is not None
    for text in [*TEXTS, *(f"{a} {b}" for a in WORDS for b in TEXTS)]:
        told = [(kind, match.group().rstrip(".,;")) for kind, each in PATTERNS.items() for match in each.finditer(text)]
        told += [(Kind.ACCOUNT, match.group()) for match in any_name.finditer(text)]
        assert list(_said_in(text, names)) == told


@pytest.mark.parametrize("at_once", [1, 2, 7])
def test_texts_looked_through_together_hide_nothing(at_once: int) -> None:
    """As if each text were looked through alone; a text may have lines, and begin or end in the middle of a number."""
    names = _Names({name.casefold(): Kind.ACCOUNT for name in WORDS[:3]})
    texts = [*TEXTS, "nothing\nat all", "+81 3", "1234 5678", "ends with a@", "b.example begins", "A12345678", "90123"]
    apart = [(text, *said) for text in texts for said in dict.fromkeys(_said_in(text, names))]
    starts = range(0, len(texts), at_once)
    together = [each for start in starts for each in _mentions_in(texts[start : start + at_once], names)]
    assert together == apart != []
