"""The study builder: what it shows as one types, what it stores, whom it lets in, and that nothing typed is lost."""

import html
import json
import re
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings

from annotation_platform.core.schemes import preset, presets
from annotation_platform.core.schemes.loading import preset_text
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.workspace.scheme.editor import SchemeDraft, editor_context
from tests.core.test_schemes_properties import Data, schemes
from tests.core.whole_schemes import GROUP, ONE_ANSWER
from tests.factories import MemberFactory, UserFactory, make_study
from tests.markup import markup
from tests.some import some

URL = "/new-study/"


def client_of(role: Role) -> tuple[Client, Member]:
    member = MemberFactory(study=make_study(), role=role)
    client = Client()
    client.force_login(member.user)
    return client, member


@pytest.fixture
def client() -> Client:
    return client_of(Role.ADMIN)[0]


@pytest.fixture
def corpus_id(client: Client) -> int:
    return Study.objects.get().corpus_id


def sent(**fields: Any) -> dict[str, Any]:
    return {
        "scheme": preset_text("ebr"),
        "name": "New",
        "questions_per_hit": 5,
        "hits_per_batch": 20,
        "time_limit_minutes": 60,
        "gives_hints": "on",
        "do": "check",
    } | fields


def htmx(client: Client, **fields: Any) -> str:
    response = client.post(URL, sent(**fields), headers={"HX-Request": "true"})
    assert response.status_code == 200
    return markup(response)


def form_in(page: str) -> str:
    """The page in the preview's frame."""
    match = re.search(r'<iframe [^>]*srcdoc="([^"]*)"', page)
    assert match, page
    return html.unescape(match[1])


# --- Who may enter ----------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
def test_researchers_and_admins_of_any_study_may_enter(role: Role) -> None:
    assert reverse("build_study") == URL
    client, _ = client_of(role)
    assert client.get(URL).status_code == 200
    assert f'href="{URL}"' in markup(client.get(reverse("home")))


@pytest.mark.django_db
def test_annotators_and_strangers_find_nothing_and_staff_may_enter() -> None:
    annotator, _ = client_of(Role.ANNOTATOR)
    stranger, staff = Client(), Client()
    stranger.force_login(UserFactory())
    staff.force_login(UserFactory(is_staff=True))
    for client in (annotator, stranger):
        assert client.get(URL).status_code == client.post(URL, sent(do="create")).status_code == 404
        assert f'href="{URL}"' not in markup(client.get(reverse("home")))
    assert staff.get(URL).status_code == 200
    assert Study.objects.count() == 1


@pytest.mark.django_db
def test_a_corpus_of_others_cannot_be_used(client: Client) -> None:
    others = make_study(name="Of others")
    assert others.corpus.name not in markup(client.get(URL))
    response = client.post(URL, sent(do="create", corpus=others.corpus_id))
    assert response.status_code == 422
    assert not Study.objects.filter(name="New").exists()


# --- What is shown as one types ---------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("key", presets())
def test_each_preset_is_loaded_with_its_form_beside_it(client: Client, key: str) -> None:
    page = markup(client.post(URL, sent(scheme="what was there", preset=key)))
    assert html.escape(preset_text(key).splitlines()[-1]) in page.replace("&#x27;", "&#39;").replace("&#39;", "&#x27;")
    form = form_in(page)
    for aspect in preset(key)["aspects"]:
        assert f'data-aspect="{aspect["key"]}"' in form


@pytest.mark.django_db
def test_the_form_follows_the_scheme_in_the_language_chosen(client: Client) -> None:
    assert "料理" in form_in(htmx(client, scheme=ONE_ANSWER, language="ja"))
    english = form_in(htmx(client, scheme=ONE_ANSWER))
    assert "料理" not in english
    assert "How does it taste?" in english
    assert "texts are missing" not in htmx(client)
    assert "26 of 27 texts are missing" in htmx(client, scheme=ONE_ANSWER)


@pytest.mark.django_db
def test_a_mistake_points_to_its_line_and_leaves_the_last_form_alone(client: Client) -> None:
    answer = htmx(client, scheme=GROUP.replace("kind: best_of", "kind: best"))
    assert 'data-line="16"' in answer
    assert "there is no kind &#x27;best&#x27;; did you mean &#x27;best_of&#x27;?" in answer
    assert 'id="frame"' not in answer


@pytest.mark.django_db
def test_what_was_filled_in_outlives_an_edit_of_the_scheme(client: Client) -> None:
    form = form_in(htmx(client, scheme=GROUP, **{"aspect-why": "Because it is short.", "aspect-truth.1": "4"}))
    assert "Because it is short." in form


@pytest.mark.django_db
def test_a_scheme_cannot_leave_its_frame(client: Client) -> None:
    evil = '"><script src=x></script></iframe>'
    answer = htmx(client, scheme=GROUP.replace("title: Which summary?", f"title: {json.dumps(evil)}"))
    assert "<script" not in answer
    assert "<script src=x>" not in form_in(answer)


@pytest.mark.django_db
def test_a_file_is_opened_without_a_script_too(client: Client) -> None:
    file = SimpleUploadedFile("duel.yaml", b"\xef\xbb\xbf" + GROUP.replace("\n", "\r\n").encode())
    page = markup(client.post(URL, sent(scheme="", file=file)))
    assert "key: duel\ntitle: Which summary?" in page
    assert "No mistakes" in page


# --- The corpus, the dry run ------------------------------------------------------------------------------


@pytest.mark.django_db
def test_what_the_corpus_lacks_is_told_as_soon_as_it_is_chosen(client: Client, corpus_id: int) -> None:
    assert "12 items to judge." in htmx(client, corpus=corpus_id)
    assert "4 questions without 2 to 26 choices" in htmx(client, corpus=corpus_id, scheme=preset_text("acorn"))


@pytest.mark.django_db
def test_a_question_of_the_corpus_is_shown_in_the_form(client: Client, corpus_id: int) -> None:
    form = form_in(htmx(client, corpus=corpus_id, sample=2))
    assert "What about q2?" in form
    assert "Sentence 8 tells of matter 8." in form
    Question.objects.update(choices=["Red", "Blue"], reference_answers=["It is so."])
    Answer.objects.update(rationale="Seen on page 3.")
    assert "Blue" in form_in(htmx(client, corpus=corpus_id, sample=1, scheme=preset_text("acorn")))
    assert "Seen on page 3." in form_in(htmx(client, corpus=corpus_id, sample=1, scheme=preset_text("rev")))
    assert "It is so." in form_in(htmx(client, corpus=corpus_id, sample=1, scheme=preset_text("equivalence")))


@pytest.mark.django_db
def test_a_judgment_is_tried_against_the_scheme_and_nothing_is_stored(client: Client) -> None:
    answer = htmx(client, scheme=GROUP, do="try", **{"aspect-preferred": "1"})
    assert "This would not be accepted" in answer
    assert "Please write something here." in form_in(answer)
    stars = {f"aspect-truth.{number}": "4" for number in (1, 2, 3, 4)}
    answer = htmx(client, scheme=GROUP, do="try", **stars, **{"aspect-preferred": "1", "aspect-why": "It is short."})
    assert "This would be stored" in answer
    assert "<dd>It is short.</dd>" in answer


# --- Making the study -------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_study_is_made_with_everything_that_was_chosen(client: Client, corpus_id: int) -> None:
    fields = sent(do="create", corpus=corpus_id, overlap=3, questions_per_hit=2, hits_per_batch=4, gives_hints="")
    response = client.post(URL, fields)
    study = Study.objects.get(name="New")
    assert response.status_code == 302
    assert response.url == reverse("study", args=[study.slug])
    assert (study.overlap, study.questions_per_hit, study.hits_per_batch, study.gives_hints) == (3, 2, 4, False)
    assert study.scheme_version.definition == preset("ebr")
    assert study.batches.count() == 2
    assert study.members.get().role == Role.ADMIN
    assert "its batches are drafts" in markup(client.get(response.url))


@pytest.mark.django_db
def test_the_overlap_is_the_schemes_unless_it_is_given(client: Client, corpus_id: int) -> None:
    text = preset_text("ebr") + "\njudgments_per_item: 7\n"
    client.post(URL, sent(do="create", corpus=corpus_id, scheme=text, overlap=""))
    assert Study.objects.get(name="New").overlap == 7


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"scheme": GROUP.replace("key: duel", "kee: duel\nkey: x y")}, "The scheme has mistakes."),
        ({"name": ""}, "Give the study a name."),
        ({"name": "Study of others"}, "There is a study of this name already."),
        ({"corpus": ""}, "Choose a corpus, or import one."),
        ({"hits_per_batch": "0"}, "Write a number from 1 to 1,000."),
        ({"overlap": "0"}, "Write a number from 1 to 500."),
        ({"overlap": "99999"}, "Write a number from 1 to 500."),
        ({"time_limit_minutes": "-3"}, "Write a number from 1 to 10,000."),
        ({"hits_per_batch": "many"}, "Enter a whole number."),
        ({"scheme": preset_text("acorn")}, "4 questions without 2 to 26 choices"),
    ],
)
def test_nothing_is_made_and_nothing_lost_when_something_is_wrong(
    client: Client, corpus_id: int, wrong: dict[str, Any], reason: str
) -> None:
    make_study(name="Study of others")
    before = Study.objects.count()
    fields = sent(do="create", corpus=corpus_id, overlap=9, questions_per_hit=8, time_limit_minutes=77) | wrong
    response = client.post(URL, fields)
    page = markup(response)
    assert response.status_code == 422
    assert reason in page
    assert Study.objects.count() == before
    assert html.escape(fields["scheme"]).replace("&#x27;", "'") in page.replace("&#x27;", "'").replace("&#39;", "'")
    for kept in (f'value="{fields[name]}"' for name in ("overlap", "questions_per_hit", "time_limit_minutes")):
        assert kept in page
    if fields["corpus"]:
        assert f'<option value="{corpus_id}" selected>' in page


@pytest.mark.django_db
def test_fields_out_of_sight_are_named_on_top_with_what_is_wrong(client: Client) -> None:
    page = markup(client.post(URL, sent(do="create", name="", corpus="")))
    for field, told in (("name", "Name</a>: Give"), ("corpus", "Corpus</a>: Choose")):
        assert f'<li><a href="#id_{field}">{told}' in page
        assert f'id="id_{field}"' in page


@pytest.mark.django_db
def test_a_look_that_carries_the_forms_button_makes_no_study(client: Client, corpus_id: int) -> None:
    page = htmx(client, corpus=corpus_id, do="create")
    assert "12 items to judge." in page
    assert not Study.objects.filter(name="New").exists()


# --- Whatever can be saved can be rendered ----------------------------------------------------------------


@settings(max_examples=40)
@given(schemes())
def test_every_scheme_without_mistakes_has_a_form(data: Data) -> None:
    draft = SchemeDraft.of(yaml.safe_dump(data, allow_unicode=True))
    assert not draft.mistakes
    for language in ("en", "ja"):
        page = editor_context(draft, QueryDict(f"language={language}"), None)["page"]
        for aspect in some(data["aspects"]):
            assert f'data-aspect="{aspect["key"]}"' in page


@pytest.mark.django_db
def test_presets_are_offered_by_their_titles(client: Client) -> None:
    page = markup(client.get(URL))
    assert 'value="lfqa" class="small-button">Long answers, aspect by aspect <span class="muted">lfqa</span>' in page
    assert page.count('name="preset"') == len(presets())


@pytest.mark.django_db
def test_the_form_speaks_of_tasks_as_every_other_page_does(client: Client) -> None:
    client.force_login(MemberFactory(role=Role.RESEARCHER).user)
    page = client.get(reverse("build_study")).content.decode()
    assert "Questions per task" in page
    assert "Tasks per batch" in page
    assert "How long somebody who has taken a task may work on it." in page
    assert "HIT" not in re.sub(r"(?s)<textarea.*?</textarea>", "", page)


@pytest.mark.django_db
def test_a_corpus_that_was_just_imported_is_chosen_with_its_scheme(client: Client, corpus_id: int) -> None:
    page = markup(client.get(URL, {"corpus": corpus_id, "preset": "acorn"}))
    assert f'<option value="{corpus_id}" selected>' in page
    assert "key: acorn" in page
    for nonsense in ({"corpus": "x", "preset": "../settings"}, {"corpus": "999999"}):
        page = markup(client.get(URL, nonsense))
        assert "key: ebr" in page
        assert not re.search(r"<option value=\"\d+\" selected>", page)
