"""The distilled rescaler: what it predicts, what its artefact holds, and that training is what it says."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

from annotation_platform.core.methods.distilled.held_out import held_out
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments, TrainingError
from annotation_platform.core.methods.distilled.rescaler import (
    ARTEFACT,
    ArtefactError,
    Distilled,
    load_default,
    tokenise,
)
from annotation_platform.core.methods.distilled.targets import targets
from annotation_platform.core.methods.distilled.train import main, read_release
from annotation_platform.core.methods.distilled.training import (
    Settings,
    build_vocabulary,
    design_matrix,
    train,
)
from tests.published import EBR
from tests.some import some

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = [0.0, 30.0, 70.0, 100.0]
PHRASES = {
    0: ["nothing in the answer helps", "it is wrong from start to end"],
    1: ["it misses the main point of sentence 7", "most of the story is gone"],
    2: ["one small detail is missing", "it leaves out the date in sentence 12"],
    3: ["the answer is complete", "everything in the article is covered"],
}


def some_judgments(n: int = 240, seed: int = 5) -> ScoredJudgments:
    """Judgments in which the words, beside the label, tell the score."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, n)
    meant = np.clip(labels + rng.choice([-1, 0, 0, 0, 1], n), 0, 3)
    items = np.arange(n) // 4
    return ScoredJudgments(
        labels=labels,
        explanations=[
            f"{rng.choice(PHRASES[int(m)])}, {rng.choice(['I think', 'clearly', 'it seems'])}" for m in meant
        ],
        scores=np.array([0.0, 25.0, 65.0, 100.0])[meant],
        annotators=np.arange(n) % 4,
        items=items,
        articles=items // 6,
        corpora=(items // 6) % 2,
        scale_numbers=tuple(NUMBERS),
    )


@pytest.fixture(scope="module")
def judgments() -> ScoredJudgments:
    return some_judgments()


@pytest.fixture(scope="module")
def model(judgments: ScoredJudgments) -> Distilled:
    return train(judgments)


@pytest.fixture(scope="module")
def release() -> ScoredJudgments:
    files = sorted(EBR.glob("*.json"))
    if not files:
        pytest.skip(f"the released EBR data is not at {EBR}")
    return read_release(files)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It doesn’t cite Sentences 12-14.", ["it", "doesn't", "cite", "sentences", "0", "0"]),
        ("Café №5, déjà vu", ["café", "0", "déjà", "vu"]),
        ("snake_case 3.5%", ["snake", "case", "0", "0"]),
        ("  …!? ", []),
        ("説明は文2にある", ["説明は文", "0", "にある"]),
    ],
)
def test_splits_texts_into_words_and_one_token_for_every_number(text: str, tokens: list[str]) -> None:
    assert tokenise(text) == tokens


# The model that comes with the platform


def test_the_artefact_is_small_and_says_where_it_comes_from() -> None:
    metadata = load_default().metadata
    assert ARTEFACT.stat().st_size < 1_000_000
    assert metadata["n_judgments"] == 12_649
    assert [len(file["sha256"]) for file in metadata["files"]] == [64, 64]
    assert {figure["split"] for figure in metadata["held_out"]} == {
        *("articles", "articles and texts", "corpora", "annotators"),
    }


def test_the_model_card_shows_the_figures_in_the_artefact() -> None:
    card = (ROOT / "docs" / "reference" / "distilled-rescaler.md").read_text(encoding="utf-8")
    for figure in some(load_default().metadata["held_out"]):
        shown = f"{figure['pearson']:.3f} | {figure['mean_absolute_error']:.1f} | {figure['tau']:.3f}"
        assert f"| {figure['n']:,} | {shown} | {figure['tau_incomplete']:.3f} |" in card
        own = figure["own"]
        of_own = f"{own['n']:,} | {own['pearson']:.3f} | {own['mean_absolute_error']:.1f}"
        assert f"{of_own} | {figure['label_mean_own']['pearson']:.3f} |" in card


def test_the_model_card_says_how_it_does_on_texts_of_their_own() -> None:
    """The first figure alone counts what stands word for word in another article."""
    card = " ".join((ROOT / "docs" / "reference" / "distilled-rescaler.md").read_text(encoding="utf-8").split())
    articles = next(each for each in load_default().metadata["held_out"] if each["split"] == "articles")
    assert 0.4 < 1 - articles["own"]["n"] / articles["n"] < 0.5
    assert articles["label_mean_own"]["pearson"] < articles["own"]["pearson"] < articles["pearson"]
    own, label = articles["own"], articles["label_mean"]
    assert (round(articles["pearson"], 3), round(own["pearson"], 3)) == (0.918, 0.872)
    assert (round(own["mean_absolute_error"], 1), round(label["pearson"], 3)) == (10.6, 0.815)
    assert "it is **0.872**, with an error of **10.6** points" in card
    assert "reaches **0.815** on all judgments" in card


def test_the_words_decide_within_a_label() -> None:
    small, large = load_default().predict(
        [2, 2],
        ["It could have used a bit more detail.", "It misses the key facts and the rest is irrelevant."],
        NUMBERS,
    )
    assert large < small < 100


def test_the_label_decides_between_equal_words() -> None:
    scores = load_default().predict(range(4), ["It leaves out the date in sentence 12."] * 4, NUMBERS)
    assert scores.tolist() == sorted(scores)
    assert scores[0] + 50 < scores[3]


@pytest.mark.parametrize("text", ["日付が抜けています（文2）。", "Das Wichtigste fehlt völlig ±", "12, 13", "!!"])
def test_an_explanation_without_a_known_word_is_scored_by_its_label_alone(text: str) -> None:
    rescaler = load_default()
    known = {word for word in tokenise(text) if word in rescaler.vocabulary.words} - {"0"}
    assert known == set()
    scores = rescaler.predict(range(4), [text] * 4, NUMBERS)
    assert scores.tolist() == rescaler.predict(range(4), ["…"] * 4, NUMBERS).tolist()
    assert scores.tolist() == sorted(set(scores))


def test_a_blank_explanation_has_no_score() -> None:
    scores = load_default().predict([3, 3, 3], ["", " \n", "Fine."], NUMBERS)
    assert np.isnan(scores).tolist() == [True, True, False]


def test_inference_does_not_import_scikit_learn() -> None:
    program = (
        "import sys; from annotation_platform.core.methods.distilled.rescaler import load_default;"
        "load_default().predict([0], ['Nothing is right.'], [0, 100]); sys.exit('sklearn' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


# Scales


def test_the_order_in_which_a_scale_lists_its_labels_does_not_matter(model: Distilled) -> None:
    words = ["one small detail is missing"] * 4
    forward = model.predict([0, 1, 2, 3], words, NUMBERS)
    assert model.predict([3, 2, 1, 0], words, NUMBERS[::-1]).tolist() == forward.tolist()


def test_a_scale_of_as_many_labels_is_matched_by_position(model: Distilled) -> None:
    words = ["one small detail is missing"] * 4
    expected = model.predict(range(4), words, NUMBERS)
    assert model.predict(range(4), words, [0, 33, 66, 100]).tolist() == expected.tolist()


def test_another_scale_is_interpolated_by_its_numbers(model: Distilled) -> None:
    word = ["one small detail is missing"]
    at_30, at_70 = (model.predict([label], word, NUMBERS)[0] for label in (1, 2))
    scores = [model.predict([label], word, [0, 30, 50, 70, 100])[0] for label in range(5)]
    assert (scores[1], scores[3]) == (at_30, at_70)
    assert scores[2] == pytest.approx((at_30 + at_70) / 2, abs=1)


@pytest.mark.parametrize(
    ("labels", "texts", "numbers", "message"),
    [
        ([0], ["a", "b"], NUMBERS, "1 labels for 2"),
        ([4], ["a"], NUMBERS, "positions 0..3"),
        ([-1], ["a"], NUMBERS, "positions 0..3"),
        ([0], ["a"], [0, 0, 100], "of its own"),
        ([0], ["a"], [], "of its own"),
        ([0], ["a"], [1, 500], "between 0 and 100"),
    ],
)
def test_refuses_what_is_not_a_judgment_on_the_scale(
    model: Distilled, labels: list[int], texts: list[str], numbers: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        model.predict(labels, texts, numbers)


# Inference


def test_predicts_the_same_alone_and_among_others(judgments: ScoredJudgments, model: Distilled) -> None:
    many = model.predict(judgments.labels, judgments.explanations, NUMBERS)
    alone = [
        model.predict([label], [text], NUMBERS)[0]
        for label, text in zip(judgments.labels, judgments.explanations, strict=True)
    ]
    assert many.tolist() == alone


def test_predicts_the_same_across_blocks(model: Distilled, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"one small detail is missing {'x' * i}" for i in range(20)] + ["", "…"]
    whole = model.predict([2] * 22, texts, NUMBERS)
    monkeypatch.setattr("annotation_platform.core.methods.distilled.rescaler._BLOCK", 3)
    np.testing.assert_array_equal(model.predict([2] * 22, texts, NUMBERS), whole)


def test_predicts_nothing_for_nothing(model: Distilled) -> None:
    assert model.predict([], [], NUMBERS).shape == (0,)


def test_agrees_with_scikit_learns_vectorizer_and_ridge(judgments: ScoredJudgments, model: Distilled) -> None:
    def n_grams(text: str) -> list[str]:
        words = tokenise(text)
        return [" ".join(words[i : i + n]) for n in (1, 2, 3) for i in range(len(words) - n + 1)]

    vocabulary = model.vocabulary
    words = vocabulary.words
    pairs = [f"{words[key // len(words)]} {words[key % len(words)]}" for key in vocabulary.pairs]
    triples = [f"{pairs[key // len(words)]} {words[key % len(words)]}" for key in vocabulary.triples]
    vectorizer = TfidfVectorizer(
        analyzer=n_grams, vocabulary=[*words, *pairs, *triples], use_idf=False, sublinear_tf=True
    )
    x = vectorizer.fit_transform(judgments.explanations)
    np.testing.assert_allclose(vocabulary.features(judgments.explanations).toarray(), x.toarray())

    learned = targets(judgments, others=0.3)
    design = design_matrix(x, judgments.labels, 4)
    ridge = Ridge(alpha=1.0, solver="sparse_cg", tol=1e-6).fit(design, learned)
    score, highest, lowest = ridge.predict(design).T
    expected = np.where(highest > 0.6, 100, np.where(lowest > 0.6, 0, np.rint(np.clip(score, 0, 100))))

    predicted = model.predict(judgments.labels, judgments.explanations, NUMBERS)
    np.testing.assert_allclose(predicted, expected, atol=1)
    assert (predicted == expected).mean() > 0.99


# Training


def test_training_twice_gives_the_same_bytes(judgments: ScoredJudgments, model: Distilled, tmp_path: Path) -> None:
    model.save(tmp_path / "one.npz")
    train(judgments).save(tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_a_saved_model_predicts_what_the_trained_one_did(
    judgments: ScoredJudgments, model: Distilled, tmp_path: Path
) -> None:
    model.save(tmp_path / "model.npz")
    loaded = Distilled.load(tmp_path / "model.npz")
    np.testing.assert_allclose(
        loaded.predict(judgments.labels, judgments.explanations, NUMBERS),
        model.predict(judgments.labels, judgments.explanations, NUMBERS),
        atol=1,
    )
    assert loaded.metadata == model.metadata
    assert loaded.vocabulary.words == model.vocabulary.words


def test_what_one_annotator_alone_wrote_is_not_in_the_vocabulary() -> None:
    texts = ["my cat Mia is fine"] * 5 + ["the cat is fine"] * 3
    vocabulary = build_vocabulary(texts, np.array([1] * 5 + [2] * 3), Settings())
    assert vocabulary.words == ("cat", "fine", "is")
    assert len(vocabulary) == 4
    assert vocabulary.counts(["is fine is fine"]).toarray().tolist() == [[0, 2, 2, 2]]


def test_an_n_gram_that_too_few_judgments_have_is_not_in_the_vocabulary() -> None:
    texts = ["rare word here", "rare word here", "word here"]
    vocabulary = build_vocabulary(texts, np.array([1, 2, 1]), Settings())
    assert vocabulary.words == ("here", "word")
    assert len(vocabulary.pairs) == 1
    assert len(vocabulary.triples) == 0


def test_judgments_without_score_or_explanation_teach_nothing(judgments: ScoredJudgments) -> None:
    more = some_judgments(seed=6)
    void = replace(more, scores=np.full(len(more), np.nan))
    blank = replace(more, explanations=[" "] * len(more))
    joined = [
        replace(
            judgments,
            labels=np.concatenate([judgments.labels, extra.labels]),
            explanations=judgments.explanations + extra.explanations,
            scores=np.concatenate([judgments.scores, extra.scores]),
            annotators=np.concatenate([judgments.annotators, extra.annotators]),
            items=np.concatenate([judgments.items, extra.items]),
            articles=np.concatenate([judgments.articles, extra.articles]),
            corpora=np.concatenate([judgments.corpora, extra.corpora]),
        )
        for extra in (void, blank)
    ]
    assert [train(each).metadata["n_judgments"] for each in joined] == [240, 240]


def test_a_label_without_judgments_cannot_be_trained(judgments: ScoredJudgments) -> None:
    with pytest.raises(TrainingError, match="number 30"):
        train(judgments.take(np.flatnonzero(judgments.labels != 1)))


def test_held_out_figures_come_from_models_that_have_not_seen_the_group(judgments: ScoredJudgments) -> None:
    """Each article gets an explanation of its own, so that only a model that had seen it could know its score."""
    rng = np.random.default_rng(3)
    secret = {article: rng.choice([0.0, 50.0, 100.0]) for article in np.unique(judgments.articles)}
    names = "abcdefghij"
    leaked = replace(
        judgments,
        explanations=[f"article {names[article]}" for article in judgments.articles],
        scores=np.array([secret[article] for article in judgments.articles]),
    )
    unseen = held_out(leaked, leaked.articles, split="articles", folds=5)
    seen = train(leaked).predict(leaked.labels, leaked.explanations, NUMBERS)
    assert np.corrcoef(seen, leaked.scores)[0, 1] > 0.95
    assert unseen.pearson < 0.5
    assert (unseen.n, unseen.folds) == (240, 5)


def with_texts(judgments: ScoredJudgments, text: np.ndarray) -> ScoredJudgments:
    """240 judgments of 10 articles by four annotators; each text, a word of its own, has one score."""
    rng, row = np.random.default_rng(4), np.arange(240)
    words = np.array([f"word{''.join(rng.choice([*'abcdefgh'], 8))}" for _ in range(int(text.max()) + 1)])
    return replace(
        judgments,
        labels=row // 2 % 4,
        articles=row // 24,
        annotators=row % 4,
        explanations=words[text].tolist(),
        scores=rng.uniform(0, 100, len(words))[text],
    )


def test_texts_that_other_articles_have_are_told_apart(judgments: ScoredJudgments) -> None:
    """A dozen texts stand in every article and are known by heart; those that only one article has are not."""
    everywhere = np.arange(240) // 2 % 12
    by_heart = held_out(with_texts(judgments, everywhere), np.arange(240) // 24, split="articles", folds=5)
    assert by_heart.pearson > 0.95
    assert by_heart.own.n == by_heart.label_mean_own.n == 0
    mixed = np.where(np.arange(240) % 24 < 6, 12 + np.arange(240) // 24, everywhere)
    found = held_out(with_texts(judgments, mixed), np.arange(240) // 24, split="articles", folds=5)
    assert (found.n, found.own.n, found.label_mean.n) == (240, 60, 240)
    assert found.own.pearson < 0.3 < found.pearson


def test_texts_of_held_out_articles_can_be_left_out_of_the_training(judgments: ScoredJudgments) -> None:
    """Each text stands in two articles: only who had seen it in the other could know its score."""
    row = np.arange(240)
    shared = with_texts(judgments, (row // 24 + row // 12 % 2) % 10 * 3 + row // 4 % 3)
    seen = held_out(shared, shared.articles, split="articles", folds=10)
    unseen = held_out(shared, shared.articles, split="articles", folds=10, with_texts=True)
    assert seen.pearson > 0.8
    assert unseen.pearson < 0.2
    assert (seen.n, unseen.n, seen.own.n) == (240, 240, 0)


@pytest.mark.long("annotation_platform/core/methods/distilled/*")
@pytest.mark.release
def test_scores_of_unseen_articles_follow_the_language_models(release: ScoredJudgments) -> None:
    seen, unseen = next(GroupKFold(n_splits=5).split(release.items, groups=release.articles))
    rows = release.take(unseen)
    predicted = train(release.take(seen)).predict(rows.labels, rows.explanations, NUMBERS)
    compared = ~np.isnan(rows.scores)
    assert np.corrcoef(predicted[compared], rows.scores[compared])[0, 1] > 0.9


@pytest.mark.long("annotation_platform/core/methods/distilled/*")
@pytest.mark.release
def test_the_artefact_was_trained_on_the_release(release: ScoredJudgments) -> None:
    rescaler = load_default()
    again = train(release)
    assert again.vocabulary.words == rescaler.vocabulary.words
    predicted = rescaler.predict(release.labels, release.explanations, NUMBERS)
    difference = predicted - again.predict(release.labels, release.explanations, NUMBERS)
    assert (np.abs(difference) <= 1).mean() > 0.999


# Artefact files


@pytest.mark.parametrize("content", [b"not a zip", b"", b"PK\x03\x04 broken", b"\x93NUMPY"])
def test_a_file_that_is_no_artefact_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(ArtefactError, match=r"model\.npz"):
        Distilled.load(path)


def test_an_artefact_with_pickled_objects_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    np.savez(path, metadata=np.array([{"format": 1}], dtype=object))
    with pytest.raises(ArtefactError, match="allow_pickle"):
        Distilled.load(path)


def test_an_artefact_of_another_format_is_refused(model: Distilled, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    replace(model, metadata={**model.metadata, "format": 99}).save(path)
    with pytest.raises(ArtefactError, match="format 99"):
        Distilled.load(path)


# The training command


def release_file(path: Path, judgments: ScoredJudgments) -> Path:
    labels = ["missing_all", "missing_major", "missing_minor", "complete"]
    content: dict = {}
    for row in range(len(judgments)):
        article = content.setdefault(str(judgments.articles[row]), {"question_details": {}})
        question = article["question_details"].setdefault(str(judgments.items[row]), {"system": {}})
        answer = question["system"].setdefault("one", {"annotation_details": {}})
        answer["annotation_details"][str(row)] = {
            "complete_label": labels[judgments.labels[row]],
            "feedback": judgments.explanations[row],
            "ebr_num": int(judgments.scores[row]),
            "workerid": str(judgments.annotators[row]),
        }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_the_command_writes_artefact_and_card_and_prints_the_figures(
    judgments: ScoredJudgments, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(release_file(tmp_path / name, judgments)) for name in ("a.json", "b.json")]
    output, card = tmp_path / "model.npz", tmp_path / "card.md"

    assert main([*files, "--output", str(output), "--card", str(card)]) == 0

    metadata = Distilled.load(output).metadata
    assert [(file["name"], file["judgments"]) for file in metadata["files"]] == [("a.json", 240), ("b.json", 240)]
    printed = capsys.readouterr().out
    for figure in metadata["held_out"]:
        assert f"unseen {figure['split']} ({figure['folds']} folds)" in printed
        assert f"{figure['pearson']:.3f}" in card.read_text(encoding="utf-8")
    assert "$" not in card.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"complete_label": "complete"', '"complete_label": "fine"', "unknown label 'fine'"),
        ('"ebr_num": 100', '"ebr_num": 1000', "score 1000 outside"),
        ('"feedback": "', '"comment": "', "feedback"),
        ("{", "[", "not the layout"),
    ],
)
def test_the_command_refuses_a_malformed_file_and_says_where(
    judgments: ScoredJudgments,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    message: str,
) -> None:
    path = release_file(tmp_path / "a.json", judgments)
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    assert main([str(path), "--output", str(tmp_path / "model.npz")]) == 1
    error = capsys.readouterr().err
    assert "a.json" in error
    assert message in error
    assert not (tmp_path / "model.npz").exists()
