"""What the explanations say: words from rows, the page with its links, the explorer behind them, where nothing is."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.urls import reverse
from django.utils.translation import gettext, ngettext, override

from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.models import AgreementSnapshot, SnapshotSection
from annotation_platform.analysis.sections.explanations import measure
from annotation_platform.analysis.sections.explanations.figures import EXPLANATIONS, ExplanationsOfAspect
from annotation_platform.analysis.snapshots.late import add_late_sections
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.methods.explanation_words import terms_of
from annotation_platform.core.methods.words_apart import TermApart
from annotation_platform.core.schemes.loading import preset
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.study_rows import client_of, score
from tests.factories import LABELS, judgment, make_corpus, study_with_judgments
from tests.some import some

pytestmark = pytest.mark.django_db
PLACES = ("bridge", "harbour", "school", "market", "museum", "station", "river", "tower", "garden")
TOPICS = (
    ("rent", "flat", "tenant", "lease", "landlord", "deposit", "keys", "cellar", "stairs", "neighbour", "heating"),
    ("train", "ticket", "platform", "delay", "track", "driver", "timetable", "signal", "carriage", "fare", "tunnel"),
)
SAYS = {
    "complete": "Nothing is lacking",
    "missing_minor": "A bit of detail",
    "missing_major": "Overlooks much",
    "missing_all": "Speaks of something else",
}


def opinion(member: Member, item: Item) -> dict[str, Any]:
    label = LABELS[(item.pk + (member.pk % 3 == 0)) % 4]
    topic, at = TOPICS[item.pk % 2], item.pk + member.pk
    words = " ".join(topic[(at * step) % len(topic)] for step in (1, 3, 5, 7))
    return {"completeness": label, "reasons": f"{SAYS[label]}, {words} {PLACES[at % 9]} {at % 7}."}


def explained_study(annotators: int = 3, **how: Any) -> Study:
    return study_with_judgments(annotators=annotators, corpus=make_corpus(articles=8), **{"values": opinion} | how)


def figures_of(study: Study) -> dict[str, ExplanationsOfAspect]:
    snapshot = study.snapshots.first() or take_snapshot(study=study, resamples=20)
    assert add_late_sections(snapshot)
    stored = SnapshotSection.objects.get(snapshot=snapshot, key="explanations").figures
    return EXPLANATIONS.from_stored(stored)


def page_of(study: Study, **query: str) -> str:
    return str(client_of(study).get(reverse("agreement_explanations", args=[study.slug]), query).content.decode())


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """Judged, and its explanations read: a process of its own takes more than a second to find the themes."""
    study = explained_study()
    figures_of(study)
    return study


@pytest.fixture
def unread(study: Study) -> Study:
    """The same before anybody read it."""
    study.snapshots.all().delete()
    return study


def test_words_are_counted_in_the_rows(study: Study) -> None:
    found = figures_of(study)["completeness"]
    rows = list(Annotation.objects.closed().filter(item__study=study))
    texts = [row.values["reasons"] for row in rows]
    assert (found.explanations, found.different, found.annotators) == (len(texts), len(set(texts)), 3)
    named = {group.name: {word.term for word in group.words} for group in found.groups["labels"]}
    assert "lacking" in named["complete"] or "nothing is" in named["complete"]
    assert not any(topic in words for words in named.values() for topic in TOPICS[0])
    for group in found.groups["labels"]:
        assert group.words, group.name
        own = [row.values["reasons"].lower() for row in rows if row.values["completeness"] == group.name]
        for word in group.words:
            assert word.documents == sum(word.term in text.replace(",", "") or word.term in text for text in own)
            assert word.z > 1.96
            assert word.p_holm < 0.05
            assert word.z_without_one is not None
            assert word.z_without_one > 1.96
            assert word.example.label == group.name
            assert word.term in word.example.text.lower()
            assert Item.objects.get(pk=word.example.item).study == study


def apart(term: str) -> TermApart:
    return TermApart(term, 1.0, 4.0, 0.01, 9, 2, 9, None, 0)


def test_a_phrase_around_a_word_is_no_further_word_that_stands_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "WORDS_KEPT", 2)
    kept, more = measure._said_once([apart("same"), apart("the same")])
    assert ([each.term for each in kept], more) == (["same"], 0)
    kept, more = measure._said_once([apart("same"), apart("the same"), apart("right"), apart("name"), apart("first")])
    assert ([each.term for each in kept], more) == (["same", "right"], 2)


def test_themes_have_real_quotations_and_items(study: Study) -> None:
    found = figures_of(study)["completeness"]
    assert found.themes, found.themes_undefined_because
    said = {" ".join(row.values["reasons"].split()): row for row in Annotation.objects.closed()}
    for theme in found.themes:
        assert 0 < len(theme.quotations) <= 3
        assert sum(theme.by_label.values()) == theme.documents
        for quoted in theme.quotations:
            assert said[quoted.text].annotator.pseudonym in "ABC"
            assert quoted.item in theme.items


def test_every_link_of_the_page_leads_to_items_that_have_it(study: Study) -> None:
    found = figures_of(study)["completeness"]
    client, address = client_of(study), reverse("items", args=[study.slug])
    text = page_of(study)
    for group in some(found.groups["labels"]):
        for word in group.words[:3]:
            assert f"label={group.name}" in text
            listed = client.get(address, {"said": word.term, "label": group.name, "aspect": "completeness"})
            items = {
                row.item_id
                for row in Annotation.objects.current().filter(item__study=study)
                if row.values["completeness"] == group.name
                and word.term in row.values["reasons"].lower().replace(",", "")
            }
            page = listed.context["found"]
            assert page.count == len(items) > 0
            assert {line.item.pk for line in page.listed} <= items
    for place, theme in enumerate(some(found.themes), start=1):
        assert f"theme=completeness.{place}" in text
        page = client.get(address, {"theme": f"completeness.{place}"}).context["found"]
        assert page.theme == theme.words
        assert page.count == len(theme.items) or page.count is None
        for quoted in theme.quotations:
            assert reverse("item", args=[study.slug, quoted.item]) in text


@pytest.mark.parametrize(
    "query",
    [
        *({"said": term} for term in ("lack", "lacking detail", "…", "a b c", "\x00")),
        *({"theme": name} for name in ("completeness.99", "x", "completeness.²")),
        {"said": "lacking", "label": "no such"},
    ],
)
def test_what_nobody_said_finds_nothing(study: Study, query: dict[str, str]) -> None:
    page = client_of(study).get(reverse("items", args=[study.slug]), query)
    assert page.status_code == 200
    assert page.context["found"].listed == [] or query["said"] == "\x00"


WRITTEN = (
    "It doesn’t say so",
    "ＧＰＴ says １２ things",
    "Élan is missing",
    "Слова нет",
    "Groß ist es nicht",
    "ｶﾀｶﾅ で書いてある",
    "An e\u0301tude in sentence 3",
    "The sentence is “plain”",
)


def test_each_word_that_is_counted_is_found_however_it_is_written() -> None:
    study = study_with_judgments(
        annotators=1,
        corpus=make_corpus(questions=len(WRITTEN), systems=["alder"]),
        values=lambda member, item: judgment(reasons=WRITTEN[item.question.position - 1]),
    )
    client, address = client_of(study), reverse("items", args=[study.slug])
    for term in {term for text in WRITTEN for term in terms_of(text)}:
        listed = client.get(address, {"said": term}).context["found"].listed
        found = {line.item.question.position - 1 for line in listed}
        assert found == {place for place, text in enumerate(WRITTEN) if term in terms_of(text)}, term
    assert client.get(address, {"said": "ＳＥＮＴＥＮＣＥ ＃"}).context["found"].count == 1


def test_a_word_is_found_whole_by_annotator_and_label(study: Study) -> None:
    client, address = client_of(study), reverse("items", args=[study.slug])
    everybody = client.get(address, {"said": "Nothing"}).context["found"]
    member = study.members.get(pseudonym="A")
    own = client.get(address, {"said": "nothing", "annotator": "A"}).context["found"]
    judged = Annotation.objects.current().filter(annotator=member, values__completeness="complete")
    assert own.count == judged.count() < everybody.count
    labelled = client.get(address, {"label": "missing_all"}).context["found"]
    assert labelled.count == Item.objects.filter(annotations__values__completeness="missing_all").distinct().count()
    by_one = client.get(address, {"label": "missing_all", "annotator": "A"}).context["found"]
    assert by_one.count == member.annotations.filter(values__completeness="missing_all").count() < labelled.count


def test_by_systems_and_by_annotators(study: Study) -> None:
    for by in ("systems", "annotators"):
        text = page_of(study, by=by)
        assert f'by={by}" aria-current="true"' in " ".join(text.split())
        assert "explanation" in text
    assert 'by=labels" aria-current="true"' in " ".join(page_of(study, by="nonsense").split())


def test_the_worker_adds_it_and_later_snapshots_take_it_over(unread: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = take_snapshot(study=unread, resamples=20)
    assert "still reading" in page_of(unread)
    index_items(study=unread)
    assert "set explanations apart" in page_of(unread)
    first = snapshot.sections.get(key="explanations")
    from annotation_platform.analysis.snapshots import sections

    def never(*_: Any) -> Any:
        raise AssertionError("measured again")

    late = sections.LATE_SECTIONS["explanations"]
    monkeypatch.setitem(sections.LATE_SECTIONS, "explanations", late._replace(measure=never))
    score(unread)
    newer = take_snapshot(study=unread, resamples=20)
    assert newer.pk != snapshot.pk
    assert add_late_sections(newer)
    assert newer.sections.get(key="explanations").figures == first.figures


def test_nothing_is_added_to_a_snapshot_of_other_judgments(unread: Study) -> None:
    snapshot = take_snapshot(study=unread, resamples=20)
    changed = Annotation.objects.closed().filter(item__study=unread).first()
    assert changed is not None
    rating = changed.ratings.get(aspect="completeness")
    rating.choice = LABELS[(LABELS.index(rating.choice) + 1) % 4]
    rating.save()
    assert not add_late_sections(snapshot)
    assert not snapshot.sections.filter(key="explanations").exists()


def test_the_report_has_it_when_asked(unread: Study) -> None:
    out = StringIO()
    call_command("report_study", unread.name, "--json", stdout=out, stderr=StringIO())
    assert "explanations" not in json.loads(out.getvalue())
    out = StringIO()
    call_command("report_study", unread.name, "--json", "--section", "explanations", stdout=out, stderr=StringIO())
    assert json.loads(out.getvalue())["explanations"]["completeness"]["explanations"] > 0
    out = StringIO()
    call_command("report_study", unread.name, "--explanations", stdout=out, stderr=StringIO())
    assert "Words of each label" in out.getvalue()


def test_files_of_one_label_and_of_all(study: Study) -> None:
    client = client_of(study)
    for name in ("words-labels", "words-systems", "words-annotators", "themes"):
        address = reverse("chart", args=[study.slug, "completeness", name, "csv"])
        assert client.get(address).status_code in (200, 404), name
    whole = client.get(reverse("chart", args=[study.slug, "completeness", "words-labels", "csv"])).content.decode()
    one = client.get(
        reverse("chart", args=[study.slug, "completeness", "words-labels", "csv"]), {"group": "complete"}
    ).content.decode()
    assert set(one.splitlines()) < set(whole.splitlines())
    for query in ({}, {"group": "complete"}):
        spec = client.get(reverse("chart", args=[study.slug, "completeness", "words-labels", "json"]), query)
        assert spec.status_code == 200


def test_one_label_one_annotator_and_few_explanations_are_said() -> None:
    same = study_with_judgments(
        annotators=1, values=lambda member, item: {"completeness": "complete", "reasons": f"Fine {item.pk}"}
    )
    found = figures_of(same)["completeness"]
    assert not found.themes
    text = page_of(same)
    assert "All explanations are of one label" in text
    assert "All explanations are by one annotator" in page_of(same, by="annotators")
    assert "No themes are shown" in text
    alone = explained_study(annotators=1)
    figures_of(alone)
    assert "One annotator wrote all explanations" in page_of(alone)


def test_a_scheme_without_explanations_has_no_tab_and_the_page_says_so() -> None:
    definition = dict(preset("ebr"), key="bare", rescale=[], examples=[])
    definition["aspects"] = [each for each in definition["aspects"] if each["key"] in ("completeness", "correct")]
    bare = study_with_judgments(
        definition=definition, values=lambda member, item: {"completeness": LABELS[item.pk % 4], "correct": "yes"}
    )
    assert figures_of(bare) == {}
    assert (
        reverse("agreement_explanations", args=[bare.slug])
        not in client_of(bare).get(reverse("agreement", args=[bare.slug])).content.decode()
    )
    assert "No closed judgment explains" in page_of(bare)


def test_japanese_explanations_are_cut_and_quoted() -> None:
    says = {"complete": "必要な情報がすべてある", "missing_all": "答えが書かれていない"}

    def opinion_ja(member: Member, item: Item) -> dict[str, Any]:
        label = ("complete", "missing_all")[item.pk % 2]
        return {"completeness": label, "reasons": f"{says[label]}。{PLACES[(item.pk + member.pk) % 9]}の{item.pk}文。"}

    found = figures_of(explained_study(values=opinion_ja))["completeness"]
    named = {group.name: {word.term for word in group.words} for group in found.groups["labels"]}
    assert any("すべて" in term for term in named["complete"])
    assert any("ていない" in term for term in named["missing_all"])


def test_nobody_else_may_read_it(study: Study) -> None:
    address = reverse("agreement_explanations", args=[study.slug])
    annotator = study.members.get(pseudonym="A")
    assert annotator.user is not None
    client = client_of(study)
    client.force_login(annotator.user)
    assert client.get(address).status_code == 404
    client.logout()
    assert client.get(address).status_code == 302
    assert AgreementSnapshot.objects.count() == 1


def test_explanations_of_candidates_and_of_the_best_of_them() -> None:
    """A text for each candidate explains its label; one for the item says why a candidate is the best."""
    definition = dict(preset("lfqa"), key="own__scheme")
    own = {"key": "why__so", "kind": "text", "per": "candidate", "title": "Why?", "explains": ["acceptability"]}
    *per_candidate, best, why = definition["aspects"]
    definition["aspects"] = [*per_candidate, own, best, why]
    definition["examples"] = []
    items: dict[int, int] = {}

    def opinion(member: Member, item: Item) -> dict[str, Any]:
        place = items.setdefault(item.pk, len(items))
        said: dict[str, Any] = {"preferred": "1", "why": f"Because the first is {PLACES[place % 9]}"}
        for number in (1, 2):
            good = (place + number) % 2
            said |= {f"{key}.{number}": "0" for key in ("factuality", "amount", "formality")}
            said[f"acceptability.{number}"] = "3" if good else "0"
            said[f"why__so.{number}"] = f"{'Splendid' if good else 'Dreadful'} {PLACES[(place + member.pk) % 9]}"
        return said

    corpus = make_corpus(articles=6, systems=("alder", "birch"))
    study = study_with_judgments(corpus=corpus, definition=definition, values=opinion)
    found = figures_of(study)
    assert set(found) == {"acceptability", "preferred"}
    named = {group.name: {word.term for word in group.words} for group in found["acceptability"].groups["labels"]}
    assert "splendid" in named["3"]
    assert "dreadful" in named["0"]
    client, address = client_of(study), reverse("items", args=[study.slug])
    both = {"said": "splendid", "aspect": "acceptability", "label": "3"}
    assert client.get(address, both).context["found"].count == len(items)
    assert client.get(address, both | {"label": "0"}).context["found"].count == 0
    best = {"said": "the first", "aspect": "preferred"}
    names = [group.name for group in found["preferred"].groups["labels"]]
    counts = [client.get(address, best | {"label": name}).context["found"].count for name in names]
    assert sum(counts) == client.get(address, best).context["found"].count == len(items)


@pytest.mark.parametrize("name", ["sections/explanations.html", "items.html"])
def test_every_sentence_of_the_pages_own_has_its_japanese(name: str) -> None:
    """Dashboards are shown in English as yet; what these pages say is ready for when they are not."""
    text = (settings.BASE_DIR / "frontend_templates" / "analysis" / name).read_text(encoding="utf-8")
    said = re.findall(r'{% translate "([^"]+)" %}', text)
    for block in re.findall(r"{% blocktranslate[^%]*%}(.*?){% endblocktranslate %}", text, re.DOTALL):
        said += [re.sub(r"{{ (\w+) }}", r"%(\1)s", " ".join(each.split())) for each in block.split("{% plural %}")[:1]]
    assert said
    with override("ja"):
        missing = [each for each in said if gettext(each) == each and ngettext(each, f"{each}s", 2) == f"{each}s"]
    assert missing == []
