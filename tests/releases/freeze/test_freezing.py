"""What a release holds, that it proves itself, and that it can be made again."""

import csv
import json
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import build_scheme, preset, presets
from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.jobs.contract import run_job
from annotation_platform.releases.freeze.annotators import names_of
from annotation_platform.releases.freeze.asked import completions_of
from annotation_platform.releases.freeze.contents import disguise_of
from annotation_platform.releases.freeze.figures import figures_of
from annotation_platform.releases.freeze.meanings import meaning_of
from annotation_platform.releases.freeze.rebuilding import rebuild
from annotation_platform.releases.freeze.verify import problems_of
from annotation_platform.releases.models import Finding, Release
from annotation_platform.releases.selectors.columns import _asked
from annotation_platform.releases.selectors.dialects import dialect
from annotation_platform.releases.services import EXPORTS, request_export
from annotation_platform.scoring.models import Completion, ItemLabel, ItemScore, Method
from annotation_platform.studies.models import Study
from annotation_platform.studies.protection import KeptError
from annotation_platform.studies.services import (
    delete_study,
    exclude_member,
    reopen_batch,
)
from tests.analysis.study_rows import run_of, score
from tests.api.clients import program, send
from tests.crowd.pay.paying import agree
from tests.factories import OPERATOR, open_study, study_with_judgments
from tests.releases.freeze.frozen import admin_of, asked, frozen, worked

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=5)


def rows_of(release: Release, name: str = "judgments") -> list[dict[str, str]]:
    with (release.folder / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_labels_whose_keys_mean_something_else_by_now_are_in_no_release(study: Study) -> None:
    outdated, counts = (run_of(study, Method.JUDGE) for _ in range(2))
    for run in (outdated, counts):
        ItemScore.objects.create(run=run, item=study.items.earliest("pk"), aspect="completeness", label="complete")
    before = frozen(study)
    outdated.is_outdated = True
    outdated.save(update_fields=["is_outdated"])
    release = frozen(study)
    assert [row["run"] for row in rows_of(release, "scores")] == [f"{counts.pk}"]
    told = json.loads((release.folder / "runs.json").read_text(encoding="utf-8"))
    assert [run["run"] for run in told] == [counts.pk]
    assert not any("not there any more" in reason for reason in rebuild(before).reasons)


def test_the_card_says_beside_the_figure_how_sure_it_is_or_why_there_is_none(study: Study) -> None:
    release = frozen(study)
    figures = json.loads((release.folder / "figures.json").read_text(encoding="utf-8"))
    card = (release.folder / "README.md").read_text(encoding="utf-8")
    assert figures["aspects"]
    for aspect in figures["aspects"]:
        alpha = aspect["krippendorff_alpha"]["raw"]
        (line,) = [each for each in card.splitlines() if each.startswith(f"- {aspect['title']}: ")]
        because = alpha["undefined_because"] or alpha["no_interval_because"] or alpha["caution"]
        assert because
        assert because in line


def test_the_card_says_what_every_column_holds(study: Study) -> None:
    run_of(study, Method.EBR)
    card = (frozen(study).folder / "README.md").read_text(encoding="utf-8")
    columns = card.partition("## Columns of the judgments")[2].partition("## Agreement")[0].strip().splitlines()
    assert len(columns) > 20
    assert all(": " in line and ", " in line for line in columns)
    assert "- `seconds`: number, time on task while the page was in view; missing where it was not measured" in columns


@pytest.mark.parametrize("name", presets())
def test_the_columns_of_every_task_have_a_meaning(name: str) -> None:
    scheme = build_scheme(preset(name), "en")
    assert all(meaning_of(column, scheme) for column in _asked(scheme, dialect()))


def test_the_card_knows_an_aspect_whose_name_another_column_has() -> None:
    definition = {
        "key": "names",
        "title": "Names",
        "shown": ["question", "answer"],
        "aspects": [
            {"key": key, "kind": "yes_no", "title": f"Is {key} fine?"} for key in ("answer", "seconds", "tone")
        ],
    }
    said = dict.fromkeys(("answer", "seconds", "tone"), "yes")
    release = frozen(study_with_judgments(annotators=5, definition=definition, values=lambda member, item: said))
    card = (release.folder / "README.md").read_text(encoding="utf-8")
    of_aspects = [line for line in card.splitlines() if "what people answered" in line]
    assert of_aspects == [
        "- `aspect_answer`: text, what people answered to “Is answer fine?”",
        "- `aspect_seconds`: text, what people answered to “Is seconds fine?”",
        "- `tone`: text, what people answered to “Is tone fine?”",
    ]


def test_every_judgment_is_in_it_in_three_formats_under_names_of_the_release(study: Study) -> None:
    release = frozen(study)
    rows = rows_of(release)
    judged = Annotation.objects.closed().filter(item__study=study)
    said = {disguise_of(release).judgment(pk) for pk in judged.values_list("pk", flat=True)}
    assert {row["annotation_id"] for row in rows} == said
    names = {f"annotator-{number:02d}" for number in range(1, 6)}
    assert {row["annotator"] for row in rows} == names
    parquet = pd.read_parquet(release.folder / "data" / "judgments.parquet")
    lines = [json.loads(line) for line in (release.folder / "data" / "judgments.jsonl").read_text().splitlines()]
    assert [row["annotator"] for row in rows] == list(parquet["annotator"]) == [line["annotator"] for line in lines]
    items = rows_of(release, "items")
    assert {row["item_id"] for row in items} == {row["item_id"] for row in rows}
    assert len(items) == study.items.count() == len(pd.read_parquet(release.folder / "data" / "items.parquet"))
    told = {row["annotator"]: int(row["judgments"]) for row in rows_of(release, "annotators")}
    assert sum(told.values()) == len(rows)


def test_releases_name_annotators_differently(study: Study) -> None:
    releases = [frozen(study) for _ in range(4)]  # two of them are alike by chance once in 120 times
    assert [each.number for each in releases] == [1, 2, 3, 4]
    named = [names_of(each) for each in releases]
    assert any(each != named[0] for each in named[1:])


def test_it_verifies_itself_anywhere_and_says_what_was_touched(study: Study, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(frozen(study).folder, copy)
    command = [sys.executable, "-I", str(copy / "verify.py")]
    fine = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (fine.returncode, "as they were frozen" in fine.stdout) == (0, True)
    call_command("verify_release", str(copy))

    touched = copy / "data" / "judgments.csv"
    touched.chmod(0o644)
    data = bytearray(touched.read_bytes())
    data[-2] ^= 1
    touched.write_bytes(data)
    (copy / "data" / "more.csv").write_text("x")
    (copy / "scheme.yaml").unlink()
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert "data/judgments.csv was changed" in said.stdout
    assert "data/more.csv does not belong" in said.stdout
    assert "scheme.yaml is missing" in said.stdout
    with pytest.raises(CommandError, match=r"scheme\.yaml is missing"):
        call_command("verify_release", str(copy))
    assert "no manifest.json" in problems_of(tmp_path)[0]


def test_made_again_it_is_the_same_byte_by_byte(study: Study) -> None:
    release = frozen(study)
    found = rebuild(release)
    assert (found.different, found.reasons) == ((), ())
    call_command("rebuild_release", study.name, "1")


def test_what_differs_since_is_said_with_the_byte_and_the_reason(study: Study) -> None:
    release = frozen(study)
    before = len(rows_of(release))
    gone = Annotation.objects.closed().filter(annotator__pseudonym="A").count()
    exclude_member(member=study.members.get(pseudonym="A"), because="Copied", actor=OPERATOR)
    found = rebuild(release)
    assert any("data/judgments.csv differs from byte" in each for each in found.different)
    assert f"There were {before:,} judgments, and there are {before - gone:,}." in found.reasons
    with pytest.raises(CommandError, match="differs from byte"):
        call_command("rebuild_release", study.name, "1")


def test_what_it_froze_is_not_opened_again_or_deleted(study: Study) -> None:
    frozen(study)
    batch = study.batches.first()
    with pytest.raises(KeptError, match="Release 1 froze batch 1"):
        reopen_batch(batch=batch, actor=OPERATOR)
    with pytest.raises(KeptError, match="Release 1 rests on this study"):
        delete_study(study=study, typed_name=study.name, actor=OPERATOR)


def test_a_refused_deletion_leaves_the_exports(client: Client, study: Study, settings: Any, tmp_path: Path) -> None:
    settings.EXPORTS_DIR = tmp_path
    frozen(study)
    admin = admin_of(study).user
    assert admin is not None
    export = request_export(study=study, requested_by=admin_of(study), format="csv", actor=OPERATOR)
    run_job(EXPORTS, export.pk)
    client.force_login(admin)
    page = client.post(reverse("study_settings", args=[study.slug]), {"step": "delete", "typed_name": study.name})
    assert "Release 1 rests on this study" in page.content.decode()
    refused = send(program(admin), "DELETE", f"/studies/{study.slug}", {"name": study.name})
    assert refused.status_code == 409
    export.refresh_from_db()
    assert export.path.exists()


def test_a_study_is_not_deleted_while_a_release_rests_on_a_round_of_it(study: Study) -> None:
    main = open_study()
    Study.objects.filter(pk=study.pk).update(qualifies_for=main)
    frozen(study)
    with pytest.raises(KeptError, match="Release 1 rests on"):
        delete_study(study=main, typed_name=main.name, actor=OPERATOR)
    assert {main, study} <= set(Study.objects.all())


def test_figures_from_its_own_files_equal_those_in_it(study: Study) -> None:
    """The release's judgments and scheme, read back as a study of their own, give the figures that it has."""
    release = frozen(study)
    data, scheme, out = release.folder / "data" / "judgments.csv", release.folder / "scheme.yaml", StringIO()
    call_command("import_study", "table", str(data), name="Again", scheme=str(scheme), stdout=out, stderr=out)
    told = json.loads((release.folder / "figures.json").read_text())
    now = json.loads(json.dumps(figures_of(take_snapshot(study=Study.objects.get(name="Again")), {})))
    for before, after in zip(told["aspects"], now["aspects"], strict=True):
        for name in ("krippendorff_alpha", "percent_agreement", "gwet_ac"):
            assert before[name] == after[name], name
        assert by_system(before) == by_system(after)


def by_system(aspect: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """System → all that is said of its mean, but for last digits: rows come in the order in which they were stored."""
    return {row["system"]: to_twelve_digits(row) for row in aspect["mean_by_system"] or []}


def test_so_are_those_of_second_readings(study: Study) -> None:
    run = run_of(study, Method.JUDGE)
    first, second = (
        Completion.objects.create(signature=digit * 64, request={}, reply="Fine.", model="m", run=run) for digit in "12"
    )
    about = {"run": run, "item": study.items.earliest("pk"), "aspect": "completeness", "label": "complete"}
    ItemLabel.objects.create(**about, source="second_reading", completion=first, second_completion=second)
    told = (frozen(study, with_replies=True).folder / "replies.jsonl").read_text()
    assert [json.loads(line)["signature"] for line in told.splitlines()] == ["1" * 64, "2" * 64]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite looks up in an index that it makes")
def test_requests_are_not_compared_with_every_score(study: Study) -> None:
    """As PostgreSQL does in a subplan, once the keys of the used ones take more than ``work_mem``."""
    run_of(study, Method.JUDGE)
    plan = completions_of(frozen(study)).explain()
    assert "SubPlan" not in plan, plan


def to_twelve_digits(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: to_twelve_digits(value) for key, value in data.items()}
    if isinstance(data, list):
        return [to_twelve_digits(value) for value in data]
    return float(f"{data:.12g}") if isinstance(data, float) else data


def test_the_datasheet_says_what_was_paid_and_consented_to(study: Study) -> None:
    assert "No text of consent was asked for." in (frozen(study).folder / "datasheet.md").read_text()
    agree(study, bonus_percent=10)
    publish_text(study=study, texts={"en": "We keep what you write.\nFor ten years."}, actor=OPERATOR)
    told = (frozen(study).folder / "datasheet.md").read_text()
    assert "2.00 USD for a task, and a bonus of 10 %" in told
    assert "> We keep what you write.\n> For ten years." in told
    assert "0 agreed." in told


def test_prompts_are_in_it_and_replies_by_choice_without_what_was_removed(study: Study) -> None:
    run = score(study)
    body = {"messages": [{"role": "user", "content": "Ada wrote: “Fine.”\nScore it."}]}
    reply = {"signature": "1" * 64, "request": body, "reply": "Ada is right: 90.", "model": "m", "run": run}
    run.scores.filter(pk=run.scores.first().pk).update(completion=Completion.objects.create(**reply))
    release = frozen(study)
    (prompt,) = (json.loads(line) for line in (release.folder / "prompts.jsonl").read_text().splitlines())
    assert prompt == {"signature": "1" * 64, "run": run.pk, "model": "m", "request": body}
    assert not (release.folder / "replies.jsonl").exists()
    assert not (frozen(study, with_prompts=False).folder / "prompts.jsonl").exists()
    third = asked(study, with_replies=True)
    Finding.objects.create(release=third, kind=Finding.Kind.ACCOUNT, text="Ada", verdict=Finding.Verdict.REMOVED)
    Release.objects.filter(pk=third.pk).update(status="pending")
    third = worked(third)
    assert "[removed] wrote: “Fine.”" in (third.folder / "prompts.jsonl").read_text()
    (reply,) = (json.loads(line) for line in (third.folder / "replies.jsonl").read_text().splitlines())
    assert reply["reply"] == "[removed] is right: 90."
    assert not rebuild(third).different


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the libraries that read it
def test_it_is_read_by_the_programs_that_it_is_for(
    study: Study, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    datasets = pytest.importorskip("datasets", reason="needs datasets (requirements-dev.txt)")
    mlcroissant = pytest.importorskip("mlcroissant", reason="needs mlcroissant (requirements-dev.txt)")
    release = frozen(study)
    loaded = datasets.load_dataset(str(release.folder), "judgments", cache_dir=str(tmp_path / "cache"))["train"]
    assert len(loaded) == len(rows_of(release))
    described = mlcroissant.Dataset(jsonld=str(release.folder / "croissant.json"))
    assert not described.metadata.ctx.issues.errors, described.metadata.ctx.issues.report()
    records = list(described.records("items"))
    assert len(records) == study.items.count()
    citation = yaml.safe_load((release.folder / "CITATION.cff").read_text())
    assert citation["authors"] == [{"family-names": "Mori", "given-names": "Aya"}, {"name": "A Group"}]
