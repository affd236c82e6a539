"""The archive for a paper: everything the pages show, names escaped for LaTeX, made once for the same figures."""

import ast
import csv
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.models import PaperBundle
from annotation_platform.analysis.paper import archive, bundles, latex
from annotation_platform.analysis.paper.archive import entries, write_bundle
from annotation_platform.analysis.snapshots.late import add_late_sections
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.registry import TABLES
from annotation_platform.analysis.tables.rows import with_interval
from annotation_platform.jobs.contract import run_job, waiting
from annotation_platform.studies.models import Member, Role, Study
from tests import rests_on
from tests.analysis.study_rows import client_of, scored_study
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from tests.some import some
from workers import tasks

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]
SAYS = ("_", "gettext", "gettext_noop", "ngettext", "pgettext")
AWKWARD = "a_b & 50%"
FEW = ("agreement", "pairs", "labels-system")
UNESCAPED = re.compile(r"(?<!\\)[&%$#_^~]")


@pytest.fixture(autouse=True)
def few_charts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing is slow: only the test that asks for everything draws everything."""
    if "every_chart" not in request.fixturenames:
        keep_few(monkeypatch)


def keep_few(patch: pytest.MonkeyPatch) -> None:
    for name in [name for name in TABLES if name not in FEW]:
        patch.delitem(TABLES, name)


@pytest.fixture(autouse=True)
def exports_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder of its own: another test's bundle may have the same number."""
    monkeypatch.setattr(settings, "EXPORTS_DIR", tmp_path / "exports")


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    found = scored_study(corpus=make_corpus(systems=[AWKWARD, "C#"]), name=f"Depth of {AWKWARD}")
    take_snapshot(study=found, resamples=20)
    return found


@pytest.fixture(scope="module")
def files(stored: Study) -> dict[str, bytes]:
    with pytest.MonkeyPatch.context() as patch:
        keep_few(patch)
        return files_of(stored)


def files_of(study: Study) -> dict[str, bytes]:
    out = io.BytesIO()
    write_bundle(study=study, snapshot=study.snapshots.get(), file=out)
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def translated_in(module: Path) -> Iterator[str]:
    """What a module says to its readers."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYS:
            yield from (
                each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )


def test_every_letter_that_the_platform_says_is_one_that_latex_has() -> None:
    folders = ("analysis/sections", "analysis/tables", "core/statistics")
    modules = [module for folder in folders for module in (ROOT / "annotation_platform" / folder).rglob("*.py")]
    said = {text for module in modules for text in translated_in(module)}
    assert len(said) > 500
    assert sorted({letter for text in said for letter in latex.escape(text) if ord(letter) > 126}) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & 50%", r"a\_b \& 50\%"),
        ("$5 #1 {x}~^", r"\$5 \#1 \{x\}\textasciitilde{}\textasciicircum{}"),
        (r"C:\new", r"C:\textbackslash{}new"),
        ("τ −0.03 [−0.1, 0.2]", r"$\tau$ $-$0.03 [$-$0.1, 0.2]"),
        ("two\nlines", "two lines"),
        ("95\u00a0% “so”", "95~\\% ``so''"),
        ("\\%", r"\textbackslash{}\%"),
        ("GPT--4 a,,b", r"GPT-\kern0pt{}-4 a,\kern0pt{},b"),
        ("?`c` it''s", r"?\kern0pt{}`c` it'\kern0pt{}'s"),
        ("–-2 —", r"--\kern0pt{}-2 ---"),
        ("“the models’” ?‘a’", r"``the models'\kern0pt{}'' ?\kern0pt{}‘a'"),
        ('a "b"', r"a \symbol{34}b\symbol{34}"),
    ],
)
def test_text_is_printed_letter_for_letter(text: str, expected: str) -> None:
    assert latex.escape(text) == expected


def test_a_table_has_as_many_cells_in_a_row_as_columns_and_none_that_is_empty_throughout() -> None:
    figure = FigureTable(
        "x", "X", "", [Column("a", "A & B"), Column("b", "τ", "value"), Column("c", "C")],
        [{"a": "[1]", "b": -0.5, "c": ""}, {"a": "50%", "b": None, "c": ""}],
    )  # fmt: skip
    text = latex.table(figure, caption="100% & more", label="tab:x")
    assert r"\begin{tabular}{lr}" in text
    assert r"A \& B & $\tau$ \\" in text
    assert r"{[1]} & $-$0.500 \\" in text  # a bare bracket would be taken for the length after a line break
    assert r"50\% & -- \\" in text
    assert r"\caption{100\% \& more}" in text


def test_latex_is_never_given_more_figures_than_it_holds(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing but floats no page ends, and LaTeX stops with “Too many unprocessed floats”."""
    monkeypatch.setattr(archive, "FLOATS_AT_ONCE", 2)
    snapshot = study.snapshots.get()
    texts = dict(archive._texts(study, snapshot, [], entries(snapshot)))
    for name, one in (("figures.tex", r"\begin{figure}"), ("tables.tex", r"\input{")):
        counts = [page.count(one) for page in texts[name].split(r"\clearpage")]
        assert counts[:-1] == [2] * (len(counts) - 1)
        assert len(counts) > 2
        assert counts[-1] in (1, 2)


def test_any_engine_of_latex_gets_fonts_that_it_can_load(files: dict[str, bytes]) -> None:
    preamble = files["all.tex"].decode().split(r"\begin{document}")[0]
    old, new = re.search(r"\\ifPDFTeX\n(.*)\\else\n(.*)\\fi\n", preamble, re.DOTALL).groups()  # type: ignore[union-attr]
    assert r"\usepackage[T1]{fontenc}" in old
    assert r"\usepackage{fontspec}" in new
    assert r"\setmainfont{" in new
    assert preamble.count("fontenc") == 1


def test_each_aspect_has_its_own_figures_and_captions_name_it() -> None:
    """Two aspects judged alike have equal tables, which are about each of them all the same."""
    questions = {"fluent": "Is it fluent?", "polite": "Is it polite?"}
    aspects = [{"key": key, "kind": "yes_no", "title": title} for key, title in questions.items()]
    definition = {"key": "two", "title": "Two", "shown": ["question", "answer"], "aspects": aspects}
    study = study_with_judgments(
        definition=definition, values=lambda member, item: dict.fromkeys(questions, ("yes", "no")[item.pk % 2])
    )
    snapshot = take_snapshot(study=study, resamples=20)
    found = {entry.stem: entry for entry in entries(snapshot)}
    one, other = (found[f"{key}/labels-system"].table for key in questions)
    assert one.csv() == other.csv()
    texts = dict(archive._texts(study, snapshot, [], list(found.values())))
    for key, title in questions.items():
        assert rf"\caption{{Labels by system, ``{title}''." in texts[f"tables/{key}/labels-system.tex"]
        assert f"- `figures/{key}/labels-system`: Labels by system, “{title}”." in texts["README.md"]
    out = io.StringIO()
    call_command("report_study", study.name, stdout=out, stderr=io.StringIO())
    assert out.getvalue().count("\nLabels by system\n") == 2


def test_captions_count_the_judgments_of_their_own_aspect_and_tell_of_intervals_where_there_are_any() -> None:
    aspects: list[dict[str, Any]] = [
        {"key": "fluent", "kind": "yes_no", "title": "Is it fluent?"},
        {"key": "polite", "kind": "yes_no", "title": "Is it polite?", "required": False},
    ]
    definition = {"key": "two", "title": "Two", "shown": ["question", "answer"], "aspects": aspects}
    study = study_with_judgments(
        annotators=2,
        definition=definition,
        values=lambda member, item: {"fluent": "yes"} | ({"polite": "no"} if item.question.position == 1 else {}),
    )
    snapshot = take_snapshot(study=study, resamples=20)
    texts = dict(archive._texts(study, snapshot, [], entries(snapshot)))
    for aspect, counted in (("fluent", "48 judgments of 24 items"), ("polite", "12 judgments of 6 items")):
        shares, agreement = (texts[f"tables/{aspect}/{name}.tex"] for name in ("labels-system", "agreement"))
        assert f"{counted} by 2 annotators. 95~\\% intervals: of shares" in shares
        assert f"{counted} by 2 annotators. Signature" in agreement  # κ and α of equal labels are not defined


def test_a_caption_says_how_the_intervals_of_its_own_table_came_about() -> None:
    """For other annotators, too, nothing is drawn; and of very many pairs fewer resamples are."""
    snapshot = take_snapshot(study=study_with_judgments(annotators=3, corpus=make_corpus(articles=3)), resamples=200)
    found = {entry.stem: entry for entry in entries(snapshot)}
    how, alone = snapshot.head.intervals, found["completeness/labels-system"]
    others = archive.intervals_of(found["completeness/labels-system-other-annotators"], how)
    assert "with the variance between questions and between annotators" in others
    assert "seed" not in others
    assert archive.intervals_of(alone, how).endswith("from 200 resamples of questions, seed 0.")
    assert alone.aspect is not None
    of_many = replace(alone, aspect=alone.aspect.model_copy(update={"resamples_of_pairs": 100}))
    said = "of questions (where pairs of annotators are compared, from 100), seed 0."
    assert archive.intervals_of(of_many, how).endswith(said)


def test_a_long_table_may_break_over_pages() -> None:
    figure = FigureTable("x", "X", "", [Column("a", "A")], [{"a": str(row)} for row in range(60)])
    text = latex.table(figure, caption="c", label="l")
    assert r"\begin{longtable}{l}" in text
    assert text.count("{") == text.count("}")


def test_awkward_names_are_escaped_in_every_latex_file(files: dict[str, bytes]) -> None:
    system = next(text.decode() for path, text in files.items() if path.endswith("labels-system.tex"))
    assert r"a\_b \& 50\%" in system
    assert r"C\#" in system
    assert r"\title{Depth of a\_b \& 50\%}" in files["all.tex"].decode()
    for path, content in files.items():
        if path.startswith("tables/") and path.endswith(".tex"):
            text = content.decode()
            assert text.count("{") == text.count("}")
            columns = len(re.search(r"\{([lr]+)\}", text).group(1))  # type: ignore[union-attr]
            rows = [line for line in text.splitlines() if line.endswith(r" \\") and not line.startswith("\\")]
            assert rows
            for row in some(rows):
                assert len(re.findall(r"(?<!\\)&", row)) == columns - 1
                assert UNESCAPED.findall(row).count("&") == columns - 1
                assert not set(UNESCAPED.findall(row)) & set("%#_")


def test_every_figure_is_there_in_every_format_with_a_caption_that_names_data_and_signature(
    study: Study, files: dict[str, bytes]
) -> None:
    snapshot = study.snapshots.get()
    for entry in entries(snapshot):
        assert files[f"tables/{entry.stem}.csv"].decode() == entry.table.csv()
        for name in entry.table.charts:
            stem = f"figures/{entry.stem.replace(entry.table.name, name, 1)}"
            assert files[f"{stem}.svg"].startswith(b"<svg")
            assert files[f"{stem}.png"].startswith(b"\x89PNG")
            assert files[f"{stem}.pdf"].startswith(b"%PDF")
            assert f"{{{stem}.pdf}}" in files["figures.tex"].decode()
    captions = re.findall(r"\\caption\{(.*)\}", files["figures.tex"].decode())
    assert any("seed 0" in caption for caption in captions)
    for caption in captions:
        assert snapshot.signature[:16] in caption
        assert r"Data: Depth of a\_b \& 50\% (scheme ebr v1, batch 1)" in caption
        assert (r"95~\% intervals: of shares" in caption) == (" questions, seed 0" in caption)
        assert re.search(r"[.!?] Data: ", caption), caption
    tables = re.findall(r"\\caption\{(.*)\}", "".join(files[name].decode() for name in files if name.endswith(".tex")))
    for said, told in (("Rough intervals", captions), ("Rough intervals", tables), ("no interval for", tables)):
        assert any(said in caption for caption in told), said
    readme = files["README.md"].decode()
    assert snapshot.signature in readme
    assert "the column `undefined_because`, `empty_because` or `remark` says why" in readme
    assert any("undefined_because" in text.decode() for name, text in files.items() if name.endswith(".csv"))
    assert f"manage.py report_study 'Depth of {AWKWARD}' --json" in readme
    assert f"manage.py paper_bundle 'Depth of {AWKWARD}' --output" in readme
    assert json.loads(files["provenance.json"])["signature"] == snapshot.signature


def test_shares_are_written_in_one_way_in_every_text_and_drawing(files: dict[str, bytes]) -> None:
    """What the study and its systems are called stays as it is."""
    close_up = re.compile(r"\d\\?%")
    for path, content in some(files.items()):
        if path.endswith((".md", ".tex", ".svg")):
            text = content.decode().replace(AWKWARD, "").replace(r"a\_b \& 50\%", "").replace("a_b &amp; 50%", "")
            text = re.sub(r"<(?!text)[^>]*>", " ", text)  # of a drawing what is written, not how it is drawn
            assert close_up.search(text) is None, (path, text[close_up.search(text).start() - 40 :][:80])  # type: ignore


def test_an_empty_cell_of_a_figure_says_why() -> None:
    columns = [Column("name", "Annotator"), Column("tau", "τ", "value", True), Column("again", "Again", "share", True)]
    whole = {"name": "Wren"} | with_interval("tau", 0.5, (0.4, 0.6)) | with_interval("again", 0.9, (0.8, 1.0))
    empty = {"name": "Teal"} | with_interval("tau", 0.5, None, "One item only.")
    empty |= with_interval("again", None, None, "Nothing was judged twice.")
    table = FigureTable(name="x", title="X", reading="", columns=columns, rows=[whole, empty])
    first, second = csv.DictReader(table.csv().splitlines())
    assert (first["empty_because"], second["again"]) == ("", "")
    assert second["empty_because"] == "tau: One item only. again: Nothing was judged twice."
    assert "empty_because" not in replace(table, rows=[whole]).csv()


def test_pairs_are_there_in_each_setting(files: dict[str, bytes]) -> None:
    names = set(files)
    for setting in ("all", "incomplete", "no-ties"):
        assert f"tables/completeness/pairs-{setting}.csv" in names
        assert f"figures/completeness/pairs-change-{setting}.pdf" in names


def test_the_same_snapshot_gives_the_same_tables_texts_and_drawings(study: Study, files: dict[str, bytes]) -> None:
    """In pictures the drawing library makes up names anew each time, but their size stays."""
    first, second = files, files_of(study)
    assert first.keys() == second.keys()
    for path, content in first.items():
        if path.endswith((".svg", ".pdf")):
            assert len(second[path]) == pytest.approx(len(content), rel=0.01)
        else:
            assert second[path] == content


@pytest.mark.long(*rests_on.CHARTS, "annotation_platform/analysis/paper/*.py")
@pytest.mark.parametrize("every_chart", [True])
def test_the_whole_of_it_runs_and_has_each_runs_figures(study: Study, every_chart: bool) -> None:
    run = study.scoring_runs.get()
    names = set(files_of(study))
    for name in (f"mixtures-run-{run.pk}", f"classes-run-{run.pk}", "variants", "raters", "comparison"):
        assert f"tables/completeness/{name}.csv" in names
        assert f"figures/completeness/{name}.svg" in names


def researcher(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.RESEARCHER)


def test_a_bundle_is_made_once_for_the_same_figures(study: Study) -> None:
    member = researcher(study)
    bundle = bundles.request_bundle(study=study, requested_by=member, actor=OPERATOR)
    assert bundles.request_bundle(study=study, requested_by=member, actor=OPERATOR) == bundle
    made = run_job(bundles.BUNDLES, bundle.pk)
    assert made
    assert made.status == PaperBundle.Status.DONE
    assert made.done == made.total > 0
    assert made.size == made.path.stat().st_size
    assert made.sha256 == hashlib.sha256(made.path.read_bytes()).hexdigest()
    assert bundles.request_bundle(study=study, requested_by=member, actor=OPERATOR) == bundle
    assert run_job(bundles.BUNDLES, bundle.pk) is None
    take_snapshot(study=study, resamples=20, seed=1)
    assert bundles.request_bundle(study=study, requested_by=member, actor=OPERATOR) != bundle


def test_a_bundle_of_before_the_explanations_were_read_is_made_anew(study: Study) -> None:
    member, snapshot = researcher(study), study.snapshots.get()
    early = bundles.request_bundle(study=study, requested_by=member, actor=OPERATOR)
    made = run_job(bundles.BUNDLES, early.pk)
    assert made
    assert bundles.request_bundle(study=study, requested_by=member, actor=OPERATOR) == early
    assert add_late_sections(snapshot)
    late = bundles.request_bundle(study=study, requested_by=member, actor=OPERATOR)
    assert late != early
    made = run_job(bundles.BUNDLES, late.pk)
    assert made
    with zipfile.ZipFile(made.path) as archive:
        assert "explanations" in json.loads(archive.read("provenance.json"))["sections"]
    assert bundles.request_bundle(study=study, requested_by=member, actor=OPERATOR) == late


def test_a_bundle_that_failed_says_why_and_can_be_asked_for_again(
    study: Study, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(settings, "EXPORTS_DIR", tmp_path / "file")
    bundle = bundles.request_bundle(study=study, requested_by=researcher(study), actor=OPERATOR)
    made = run_job(bundles.BUNDLES, bundle.pk)
    assert made
    assert made.status == PaperBundle.Status.FAILED
    assert "cannot be written" in made.error
    assert bundles.request_bundle(study=study, requested_by=bundle.requested_by, actor=OPERATOR) != bundle


def test_bundles_whose_worker_is_gone_are_found_again(study: Study) -> None:
    bundle = bundles.request_bundle(study=study, requested_by=researcher(study), actor=OPERATOR)
    assert waiting(bundles.BUNDLES) == []
    PaperBundle.objects.update(heartbeat_at=None)
    assert waiting(bundles.BUNDLES) == [bundle.pk]
    assert waiting(bundles.BUNDLES) == []
    PaperBundle.objects.update(status=PaperBundle.Status.RUNNING, worker="gone", heartbeat_at="2020-01-01T00:00Z")
    assert waiting(bundles.BUNDLES) == [bundle.pk]
    assert run_job(bundles.BUNDLES, bundle.pk) is not None


def test_the_page_asks_for_a_bundle_and_gives_it_out(
    study: Study, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(tasks.work, "apply_async", lambda args=(), kwargs=None, **_: sent.append(tuple(args)))
    client: Client = client_of(study)
    page = reverse("agreement_paper", kwargs={"slug": study.slug})
    assert "None so far" in client.get(page).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(reverse("request_bundle", kwargs={"slug": study.slug})).url == page
    bundle = study.paper_bundles.get()
    assert sent == [("bundle", bundle.pk)]
    waiting = client.get(page).content.decode()
    assert "Waits for its turn" in waiting
    assert "The background worker is not running" in waiting
    download = reverse("download_bundle", kwargs={"slug": study.slug, "pk": bundle.pk})
    assert client.get(download).status_code == 404
    run_job(bundles.BUNDLES, bundle.pk)
    assert download in client.get(page).content.decode()
    response = client.get(download)
    assert response.headers["Content-Disposition"] == f'attachment; filename="{bundle.filename}"'
    assert zipfile.is_zipfile(io.BytesIO(b"".join(response.streaming_content)))  # type: ignore[attr-defined]
    bundle.refresh_from_db()
    bundle.path.unlink()
    assert client.get(download).status_code == 404


def test_without_figures_there_is_nothing_to_bundle() -> None:
    study = scored_study()
    response = client_of(study).post(reverse("request_bundle", kwargs={"slug": study.slug}))
    assert response.status_code == 409
    assert "There are no figures yet" in response.content.decode()


def test_the_command_writes_the_same_archive(study: Study, tmp_path: Path) -> None:
    out, path = io.StringIO(), tmp_path / "figures.zip"
    call_command("paper_bundle", study.name, output=path, stdout=out, stderr=io.StringIO())
    assert "charts" in out.getvalue()
    assert study.snapshots.latest().signature in out.getvalue()
    with zipfile.ZipFile(path) as archive:
        assert "README.md" in archive.namelist()


def test_the_command_says_what_is_wrong(study: Study, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no study named “Nothing”"):
        call_command("paper_bundle", "Nothing", output=tmp_path / "x.zip")
    with pytest.raises(CommandError, match="is a folder"):
        call_command("paper_bundle", study.name, output=tmp_path)
    with pytest.raises(CommandError, match="there is no"):
        call_command("paper_bundle", study.name, output=tmp_path / "not" / "there.zip")
