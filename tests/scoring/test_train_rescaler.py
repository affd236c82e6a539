"""A study's own rescaler, and runs that ask a language model about a chosen part only."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.core.methods.distilled.rescaler import Distilled
from annotation_platform.core.methods.distilled.training import OWN_READINGS, Settings, train_on_used_labels
from annotation_platform.core.schemes import preset
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring import rescalers
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.models import Completion, RecordedReply, ScoringRun, TrainedRescaler
from annotation_platform.scoring.rescalers import scored_judgments, train_rescalers
from annotation_platform.scoring.services import RUNS, pause_run, resume_run, start_run
from annotation_platform.studies.models import Study
from tests import rests_on
from tests.annotations.test_migrating import RENAMINGS, edited
from tests.factories import OPERATOR, make_corpus, study_with_judgments
from tests.servers.model_server import Answer, ModelRequest, ModelServer, fails, says

pytestmark = [pytest.mark.django_db, pytest.mark.long(*rests_on.PLATFORM)]
Asks = Callable[..., dict[str, Any]]
ASPECT = "completeness"
SCORES = {"nothing": 96, "a detail": 71, "a main point": 33, "everything that matters": 4}
NUMBERS = [100.0, 70.0, 30.0, 0.0]


@pytest.fixture(autouse=True, scope="module")
def _short_curve() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rescalers, "CURVE_SHARES", (0.2, 1.0))
        patch.setattr(rescalers, "SEEDS", (0,))
        yield


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """Three annotators, 24 items in two articles, 72 judgments."""
    return study_with_judgments()


@pytest.fixture(scope="module")
def stored_rescaler(stored: Study, _short_curve: None) -> TrainedRescaler:
    """What another study learned from its only run."""
    run = record(study_with_judgments())
    (rescaler,) = train_rescalers(study=run.study, run=run, actor=OPERATOR)
    return rescaler


@pytest.fixture
def trained(db: None, stored_rescaler: TrainedRescaler) -> TrainedRescaler:
    return TrainedRescaler.objects.get(pk=stored_rescaler.pk)


@pytest.fixture
def reader(server: ModelServer) -> ModelServer:
    """A language model that reads from the explanation how much is missing."""
    server.behaviour = reads
    return server


def reads(asked: ModelRequest) -> Answer:
    (missing,) = [words for words in SCORES if f"leaves out {words} of" in asked.prompt]
    return says(f"Score: {SCORES[missing]}")


def meant(reasons: str) -> float:
    (missing,) = [words for words in SCORES if f"leaves out {words} of" in reasons]
    return float(SCORES[missing])


def score(study: Study, scorer: str, **parameters: Any) -> ScoringRun:
    run = claim(RUNS, start_run(study=study, scorer=scorer, parameters=parameters, actor=OPERATOR).pk)
    assert run is not None
    return execute(RUNS, run)


def record(study: Study) -> ScoringRun:
    """A finished run whose scores a language model gave elsewhere."""
    from annotation_platform.annotations.models import Annotation

    RecordedReply.objects.bulk_create(
        RecordedReply(annotation=a, aspect=ASPECT, reply=f"Score: {meant(a.values['reasons']):g}", model="m")
        for a in Annotation.objects.filter(item__study=study)
    )
    return score(study, "recorded")


def command(*arguments: str) -> str:
    output = StringIO()
    call_command("train_rescaler", *arguments, stdout=output, stderr=StringIO())
    return output.getvalue()


class TestHybridRuns:
    def test_a_part_is_read_by_the_language_model_and_the_rest_by_what_it_taught(
        self, study: Study, reader: ModelServer, asks: Asks
    ) -> None:
        run = score(study, "hybrid", **asks(paid_share=0.25))
        assert (run.status, run.error, run.scores.count()) == (JobStatus.DONE, "", 72)
        counts = run.counts[ASPECT]
        assert counts["sent"] == 18
        assert counts["read_by"] == {"language model": 18, "rescaler": 54}
        assert (counts["read"], counts["rescaler"]["judgments"]) == (72, 18)
        assert Completion.objects.count() == len(reader.asked) <= 18
        paid = run.scores.filter(completion__isnull=False)
        assert paid.count() == 18
        for row in paid.select_related("annotation"):
            assert row.explanation_score == row.value == meant(row.annotation.values["reasons"])
        rest = run.scores.filter(completion__isnull=True).select_related("annotation")
        errors = [abs(row.value - meant(row.annotation.values["reasons"])) for row in rest]
        assert sum(errors) / len(errors) < 15

    def test_the_whole_share_is_the_language_models(self, study: Study, reader: ModelServer, asks: Asks) -> None:
        run = score(study, "hybrid", **asks(paid_share=1))
        assert run.counts[ASPECT]["read_by"] == {"language model": 72, "rescaler": 0}

    def test_a_run_that_broke_off_goes_on_with_the_same_choice_and_pays_nothing_twice(
        self, study: Study, reader: ModelServer, asks: Asks
    ) -> None:
        given = asks(paid_share=0.25, retries=0, concurrency=1)
        paid: list[str] = []

        def reads_and_counts(asked: ModelRequest) -> Answer:
            paid.append(asked.prompt)
            return reads(asked)

        reader.behaviour = lambda asked: reads_and_counts(asked) if len(paid) < 7 else fails(500)
        run = score(study, "hybrid", **given)
        assert (run.status, Completion.objects.count()) == (JobStatus.PAUSED, 7)
        reader.behaviour = reads_and_counts
        resume_run(run=run, actor=OPERATOR)
        claimed = claim(RUNS, run.pk)
        assert claimed is not None
        run = execute(RUNS, claimed)
        assert (run.status, run.counts[ASPECT]["sent"]) == (JobStatus.DONE, 18)
        assert len(paid) == len(set(paid)) == Completion.objects.count()
        again = score(study, "hybrid", **given)
        assert list(again.scores.order_by("annotation").values_list("value", "completion")) == list(
            run.scores.order_by("annotation").values_list("value", "completion")
        )

    def test_a_reply_that_cannot_be_read_leaves_a_prediction_behind(
        self, study: Study, reader: ModelServer, asks: Asks
    ) -> None:
        reader.behaviour = lambda asked: says("I cannot say.") if len(reader.asked) % 3 == 0 else reads(asked)
        run = score(study, "hybrid", **asks(paid_share=0.25, concurrency=1))
        counts = run.counts[ASPECT]
        failed = sum(counts["unread_replies"].values())
        assert failed >= 3
        assert counts["read_by"] == {"language model": 18 - failed, "rescaler": 54 + failed}
        assert run.scores.filter(completion__isnull=False, failure="").count() == 18 - failed
        unread = run.scores.exclude(failure="").select_related("completion")
        assert {score.completion and score.completion.reply for score in unread} == {"I cannot say."}
        assert unread.count() == failed
        assert not run.scores.filter(explanation_score__isnull=True).exists()

    def test_replies_of_which_none_can_be_read_fail_the_run_with_the_reason(
        self, study: Study, reader: ModelServer, asks: Asks
    ) -> None:
        reader.behaviour = lambda asked: says("I cannot say.")
        run = score(study, "hybrid", **asks(paid_share=0.1))
        assert run.status == JobStatus.FAILED
        assert "nothing to learn from. One of them is “I cannot say.”" in run.error

    @pytest.mark.parametrize(("name", "value"), [("paid_share", 0), ("paid_share", 1.5), ("tolerance", -1)])
    def test_a_share_that_is_none_is_refused(self, study: Study, asks: Asks, name: str, value: float) -> None:
        with pytest.raises(InvalidInputError, match=name):
            start_run(study=study, scorer="hybrid", parameters=asks(**{name: value}), actor=OPERATOR)

    def test_the_dry_run_expects_the_bill_of_the_share(self, study: Study, reader: ModelServer, asks: Asks) -> None:
        estimates = []
        for share in (1.0, 0.5):
            run = start_run(
                study=study, scorer="hybrid", parameters=asks(paid_share=share), dry_run=True, actor=OPERATOR
            )
            claimed = claim(RUNS, run.pk)
            assert claimed is not None
            execute(RUNS, claimed)
            run.refresh_from_db()
            estimates.append(run.estimate)
        whole, half = estimates
        # Of 72 judgments some are alike, and asked about once; half of them are chosen among those that differ.
        assert (whole["requests"], half["requests"]) == (62, 36)
        assert half["tokens expected"] / 36 == pytest.approx(whole["tokens expected"] / 62, rel=0.02)

    def test_the_page_of_a_new_run_asks_for_the_share(self, study: Study, trained: TrainedRescaler) -> None:
        options = run_method("ebr").options_in(study)
        assert options["paid_share"].scorers == ("hybrid",)
        assert "rescaler" not in options
        choices = run_method("ebr").options_in(trained.study)["rescaler"].choices
        assert [value for value, _ in choices] == ["", "own", str(trained.pk)]


class TestTraining:
    def test_it_is_kept_with_what_it_learned_from_and_how_good_it_is(
        self, study: Study, reader: ModelServer, asks: Asks
    ) -> None:
        run = score(study, "openai", **asks())
        (rescaler,) = train_rescalers(study=study, actor=OPERATOR)
        artefact = bytes(rescaler.artefact)
        assert len(artefact) < 1_000_000
        assert rescaler.sha256 == sha256(artefact).hexdigest()
        assert (rescaler.run, rescaler.aspect) == (run, ASPECT)
        assert rescaler.trained_on == {
            "run": run.pk,
            "scorer": "openai",
            "model": "tiny",
            "judgments": 72,
            "annotators": 3,
            "articles": 2,
            "sample": 1.0,
            "seed": 0,
        }
        held_out = {figure["split"]: figure for figure in rescaler.figures["held_out"]}
        assert {split: figure["folds"] for split, figure in held_out.items()} == {"articles": 2, "annotators": 3}
        assert held_out["annotators"]["pearson"] > 0.9
        assert [point["share"] for point in rescaler.figures["curve"]][-1] == 1.0
        model = Distilled.from_bytes(artefact, name="x")
        assert model.metadata["aspect"] == ASPECT
        assert model.metadata["uncertainty"]["level"] == 0.9

    def test_it_learns_nothing_of_what_others_wrote_since_it_scores_the_same_study(
        self, trained: TrainedRescaler
    ) -> None:
        model = Distilled.from_bytes(bytes(trained.artefact), name="x")
        scheme = trained.study.scheme()
        (rescaling,) = scheme.rescale
        judgments = scored_judgments(trained.run, scheme, rescaling)
        alone, with_others = (train_on_used_labels(judgments, each) for each in (OWN_READINGS, Settings(others=0.3)))
        asked = list(judgments.labels), list(judgments.explanations), NUMBERS
        assert list(model.predict(*asked)) == list(alone.predict(*asked)) != list(with_others.predict(*asked))

    def test_a_run_uses_it_and_says_which(self, trained: TrainedRescaler) -> None:
        platform = score(trained.study, "distilled")
        run = score(trained.study, "distilled", rescaler="own")
        assert run.parameters["own"] == {ASPECT: trained.sha256}
        assert "own" not in platform.parameters
        assert run.signature != platform.signature
        model = Distilled.from_bytes(bytes(trained.artefact), name="x")
        labels = ["complete", "missing_minor", "missing_major", "missing_all"]
        for row in run.scores.select_related("annotation"):
            values = row.annotation.values
            (expected,) = model.predict([labels.index(values[ASPECT])], [values["reasons"]], NUMBERS)
            assert row.value == expected
        assert [row.value for row in run.scores.all()] != [row.value for row in platform.scores.all()]

    def test_a_run_can_name_it_by_its_number(self, trained: TrainedRescaler) -> None:
        (newest,) = train_rescalers(study=trained.study, sample=0.8, actor=OPERATOR)
        assert newest.sha256 != trained.sha256
        run = score(trained.study, "distilled", rescaler=str(trained.pk))
        assert run.parameters["own"] == {ASPECT: trained.sha256}

    def test_one_that_is_gone_fails_the_run_with_the_reason(self, trained: TrainedRescaler) -> None:
        run = start_run(study=trained.study, scorer="distilled", parameters={"rescaler": "own"}, actor=OPERATOR)
        trained.delete()
        claimed = claim(RUNS, run.pk)
        assert claimed is not None
        done = execute(RUNS, claimed)
        assert done.status == JobStatus.FAILED
        assert "is gone. Train it again" in done.error

    def test_it_goes_along_when_the_scheme_gives_its_aspect_another_key(self, trained: TrainedRescaler) -> None:
        study = trained.study
        going_on = start_run(study=study, scorer="distilled", parameters={"rescaler": "own"}, actor=OPERATOR)
        pause_run(run=going_on, actor=OPERATOR)
        migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
        resume_run(run=going_on, actor=OPERATOR)
        claimed = claim(RUNS, going_on.pk)
        assert claimed is not None
        for run in (execute(RUNS, claimed), score(Study.objects.get(pk=study.pk), "distilled", rescaler="own")):
            assert (run.status, run.parameters["own"]) == (JobStatus.DONE, {"fullness": trained.sha256})
            model = Distilled.from_bytes(bytes(trained.artefact), name="x")
            row = run.scores.select_related("annotation").latest("pk")
            labels = ["full", "missing_minor", "missing_major"]
            asked = [labels.index(row.annotation.values["fullness"])], [row.annotation.values["reasons"]]
            assert [row.value] == list(model.predict(*asked, [100.0, 400 / 7, 0.0]))

    def test_it_is_not_for_another_aspect_that_has_its_key_now(self, trained: TrainedRescaler) -> None:
        study = trained.study
        migrate_scheme(study=study, definition=edited(), actor=OPERATOR)
        migrate_scheme(study=Study.objects.get(pk=study.pk), definition=preset("ebr"), actor=OPERATOR)
        study = Study.objects.get(pk=study.pk)
        assert ASPECT in {aspect.key for aspect in study.scheme().rated_aspects}
        assert "rescaler" not in run_method("ebr").options_in(study)
        for wanted in ("own", str(trained.pk)):
            with pytest.raises(InvalidInputError, match="has no rescaler"):
                start_run(study=study, scorer="distilled", parameters={"rescaler": wanted}, actor=OPERATOR)

    def test_scores_under_an_earlier_version_of_the_scheme_teach_nothing(self, trained: TrainedRescaler) -> None:
        """Its key may have been another aspect's then."""
        study = trained.study
        for definition in (edited(), preset("ebr") | {"title": "Another question under the same key"}):
            migrate_scheme(study=Study.objects.get(pk=study.pk), definition=definition, actor=OPERATOR)
        with pytest.raises(InvalidInputError, match=rf"scores of run {trained.run_id} .* before the scheme migrated"):
            train_rescalers(study=Study.objects.get(pk=study.pk), actor=OPERATOR)

    @pytest.mark.parametrize("wanted", ["own", "another's", "999", "x"])
    def test_a_rescaler_that_the_study_lacks_is_refused(
        self, study: Study, trained: TrainedRescaler, wanted: str
    ) -> None:
        wanted = str(trained.pk) if wanted == "another's" else wanted
        with pytest.raises(InvalidInputError, match=f"“{study.name}” has no rescaler"):
            start_run(study=study, scorer="distilled", parameters={"rescaler": wanted}, actor=OPERATOR)

    def test_only_what_the_language_model_read_teaches(self, study: Study, reader: ModelServer, asks: Asks) -> None:
        hybrid = score(study, "hybrid", **asks(paid_share=0.8))
        (rescaler,) = train_rescalers(study=study, run=hybrid, actor=OPERATOR)
        assert rescaler.trained_on["judgments"] == hybrid.counts[ASPECT]["sent"] == 58

    def test_training_again_on_the_same_keeps_one(self, trained: TrainedRescaler) -> None:
        assert train_rescalers(study=trained.study, actor=OPERATOR) == [trained]
        assert TrainedRescaler.objects.count() == 1

    def test_the_newest_run_of_a_language_model_is_taken(self, study: Study) -> None:
        record(study)
        newest = record_again(study)
        score(study, "distilled")
        (rescaler,) = train_rescalers(study=study, actor=OPERATOR)
        assert rescaler.run == newest

    def test_a_rescalers_own_scores_teach_nothing(self, study: Study) -> None:
        with pytest.raises(InvalidInputError, match="no finished run in which a language model"):
            train_rescalers(study=study, actor=OPERATOR)
        run = score(study, "distilled")
        with pytest.raises(InvalidInputError, match="asked no language model"):
            train_rescalers(study=study, run=run, actor=OPERATOR)

    def test_too_few_scores_are_refused_with_how_many_there_are(self) -> None:
        small = study_with_judgments(annotators=2, corpus=make_corpus(questions=2, systems=("alder", "birch")))
        run = record(small)
        with pytest.raises(InvalidInputError, match=rf"Run {run.pk} has 8 judgments .* at least 50"):
            train_rescalers(study=small, actor=OPERATOR)

    def test_anothers_run_and_an_unfinished_one_are_refused(self, study: Study, trained: TrainedRescaler) -> None:
        with pytest.raises(NotThereError, match=f"no rescaling run {trained.run.pk}"):
            train_rescalers(study=study, run=trained.run, actor=OPERATOR)
        run = start_run(study=study, scorer="recorded", actor=OPERATOR)
        with pytest.raises(InvalidInputError, match="is not finished"):
            train_rescalers(study=study, run=run, actor=OPERATOR)

    @pytest.mark.parametrize("sample", [0, -0.5, 1.1])
    def test_a_sample_that_is_no_share_is_refused(self, study: Study, sample: float) -> None:
        with pytest.raises(InvalidInputError, match="share above 0"):
            train_rescalers(study=study, sample=sample, actor=OPERATOR)


def record_again(study: Study) -> ScoringRun:
    return score(study, "recorded", **{"lambda": 0.1})


class TestCommand:
    def test_it_prints_cross_validation_curve_and_artefact(self, study: Study, tmp_path: Path) -> None:
        run = record(study)
        output = command(study.name, "--run", str(run.pk), "--sample", "0.75", "--output", str(tmp_path))
        rescaler = TrainedRescaler.objects.get(study=study)
        assert rescaler.trained_on["judgments"] == 54
        for line in (
            "completeness: 54 judgments with a language model's score",
            "raw labels: τ ",
            "language model: τ ",
            "unseen articles (2 folds): Pearson ",
            "unseen annotators (3 folds): Pearson ",
            "20\u00a0% paid, random (11): Pearson of the rest ",
            "20\u00a0% paid, active (11): Pearson of the rest ",
            f"SHA-256 {rescaler.sha256}",
        ):
            assert line in output
        (file,) = tmp_path.iterdir()
        assert Distilled.load(file).metadata["n_judgments"] == 54
        call_command(
            "score_study",
            study.name,
            "--scorer",
            "distilled",
            "--rescaler",
            "own",
            stdout=StringIO(),
            stderr=StringIO(),
        )
        assert ScoringRun.objects.latest("pk").parameters["own"] == {ASPECT: rescaler.sha256}

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("nowhere",), "no study named “nowhere”"),
            (("--run", "999"), "no scoring run 999"),
            ((), "no finished run"),
            (("--sample", "2"), "share above 0"),
        ],
    )
    def test_what_cannot_be_done_is_told_in_words(self, study: Study, arguments: tuple[str, ...], message: str) -> None:
        name = () if arguments[:1] == ("nowhere",) else (study.name,)
        with pytest.raises(CommandError, match=message):
            command(*name, *arguments)
