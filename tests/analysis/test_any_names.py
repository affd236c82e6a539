"""Names of any script, from an import to every page: none of them is an error."""

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.core.errors import DomainError
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import FORMATS, Options, open_files, read_study
from annotation_platform.imports.storing import import_study
from annotation_platform.studies.models import Role, Study
from tests import rests_on
from tests.analysis.test_any_study import PAGES
from tests.factories import OPERATOR, MemberFactory, open_study

pytestmark = pytest.mark.django_db
NAMES = st.lists(
    st.one_of(
        st.sampled_from(
            ["a/b", "..", "?", "#", "%2F", "a~b", "/", "\\", "“x”", "{{ a }}", "<b>", "山/田", "ש", "e\u0301", "a\x00b"]
        ),
        st.text(min_size=1, max_size=70),
        st.text(min_size=1, max_size=3).map(lambda text: text * 90),
    ),
    min_size=6,
    max_size=6,
    unique_by=str.strip,
)


def imported(names: list[str]) -> Study | None:
    """A study in which everything that has a name has one of these; None where the file is refused."""
    first, second, question, system, article, study_name = names
    rows = io.StringIO()
    table = csv.writer(rows)
    table.writerow(
        ["annotator", "article_id", "article", "question_id", "question", "system", "answer", "reference", "equivalent"]
    )
    for person in (first, second):
        for n in range(3):
            table.writerow([person, article, "One. Two.", f"{question}{n}", "Why?", system, "So.", "So", "yes"])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "any.csv"
        path.write_text(rows.getvalue(), encoding="utf-8", errors="replace", newline="")
        format = FORMATS["table"]
        options = Options(definition=preset("equivalence"))
        try:
            with read_study(format, open_files(format, [path]), options) as read:
                return import_study(imported=read, name=study_name, actor=OPERATOR).study
        except DomainError:  # with its reasons
            return None


def assert_all_pages(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    index_items(study=study)
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.ADMIN).user)
    addresses = [reverse(name, args=[study.slug]) for name in (*PAGES, "people", "scoring")]
    addresses += [reverse("item", args=[study.slug, item.pk]) for item in study.items.all()[:2]]
    addresses += [reverse("batch", args=[study.slug, batch.number]) for batch in study.batches.all()]
    addresses += [
        reverse("agreement_annotator", args=[study.slug, member.pk])
        for member in study.members.filter(role=Role.ANNOTATOR)
    ]
    for address in addresses:
        assert client.get(address).status_code in (200, 404), address
    for name in study.members.values_list("pseudonym", flat=True):
        found = client.get(reverse("agreement_annotators", args=[study.slug]), {"annotator": name})
        assert found.status_code in (302, 404)
        assert client.get(reverse("agreement_pairs", args=[study.slug]), {"of": name}).status_code in (200, 404)


@pytest.mark.long(
    *rests_on.ANALYSIS,
    "annotation_platform/corpus/**/*.py",
    "annotation_platform/imports/*.py",
    "annotation_platform/*/urls.py",
)
@settings(
    max_examples=12,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(NAMES)
def test_any_names_come_from_a_file_to_every_page(names: list[str]) -> None:
    with transaction.atomic():
        study = imported(names)
        if study is not None:
            assert_all_pages(study)
        transaction.set_rollback(True)


def test_a_slash_in_a_pseudonym_is_no_error() -> None:
    study = imported(["Müller/Mai", "b", "q/1", "sys/tem", "art/icle", "A/B"])
    assert study is not None
    assert_all_pages(study)


def test_nul_in_any_field_or_address_is_no_error() -> None:
    study = open_study()
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.ADMIN).user)
    nul = "a\x00b"
    for name in (*PAGES, "people", "scoring", "scoring_settings"):
        address = reverse(name, args=[study.slug])
        for field in ("aspect", "q", "sort", "part", "annotator", "of", "pair", "setting", "cited", "article", "then"):
            assert client.get(address, {field: nul}).status_code < 500, (name, field)
    for address in ("/join/%00/", "/studies/%00/", "/work/take/%00/"):
        assert client.get(address).status_code == 404
    for method in ("judge", "mate", "ebr"):
        address = reverse("new_run", args=[study.slug, method])
        sent = dict.fromkeys(("scheme", "model", "connection", "prompt", "name", "aspects", "reference", "parts"), nul)
        assert client.post(address, sent).status_code < 500
        assert client.post(reverse("preview_prompt", args=[study.slug, method]), sent).status_code < 500
    fields = dict.fromkeys(("name", "scheme", "corpus", "overlap", "definition", "text"), nul)
    assert client.post(reverse("build_study"), fields).status_code < 500
    assert client.post(reverse("account_login"), {"login": nul, "password": nul}).status_code < 500


def test_nul_in_the_form_of_a_judgment_is_no_error() -> None:
    study = open_study()
    person = MemberFactory(study=study, role=Role.ANNOTATOR)
    client = Client()
    client.force_login(person.user)
    taken = client.post(reverse("take", args=[study.slug]))
    assert taken.status_code == 302
    place = person.assignments.get()
    address = reverse("judge", args=[place.pk, 1])
    fields = ("scheme", "submission_id", "draft_version", "seconds", "correct", "completeness", "reasons", "sentences")
    for field in fields:
        for path in (address, reverse("draft", args=[place.pk, 1])):
            assert client.post(path, {field: "a\x00b"}).status_code < 500, field
