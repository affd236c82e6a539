"""Prompts for judging by aspect: what they show, in which order, and that they come from the scheme alone."""

import pytest
from jsonschema import Draft202012Validator

from annotation_platform.core.items import Document, ItemTexts, answers_of, texts_of_example
from annotation_platform.core.methods.ebr.prompts import PromptError
from annotation_platform.core.methods.judging import (
    Calling,
    Format,
    JudgeFormat,
    JudgePrompt,
    ReplyForm,
    Variant,
    judge_prompts,
    render_reply,
)
from annotation_platform.core.schemes import Scheme, build_scheme, preset, presets, read_scheme
from tests.core.whole_schemes import GROUP, ONE_ANSWER
from tests.some import some

POND = ItemTexts(
    question="The pond froze. What happened?",
    choices=("The ducks walked across it.", "The ducks dived."),
    answers=answers_of(rationale="Ice carries a bird."),
)
METAL = ItemTexts(
    question="Why does metal feel cold?",
    documents=(Document(1, ("Metal conducts heat.", "Wood does not."), title="Heat", url="https://example.org/heat"),),
    answers=answers_of(candidates=("It is colder.", "It draws heat out.", "Nobody knows.")),
)


def scheme_of(key: str, language: str = "en") -> Scheme:
    return build_scheme(preset(key), language)


def only(prompts: list[JudgePrompt]) -> JudgePrompt:
    (prompt,) = prompts
    return prompt


def user(prompt: JudgePrompt) -> str:
    return prompt.messages[1]["content"]


def positions(text: str, *parts: str) -> list[int]:
    return [text.index(part) for part in parts]


# --- Calls ------------------------------------------------------------------------------------------------


def test_a_compound_call_asks_for_all_labelled_aspects_and_a_single_one_for_each_alone() -> None:
    acorn = scheme_of("acorn")
    keys = [aspect.key for aspect in acorn.aspects]
    compound = only(judge_prompts(acorn, POND, JudgeFormat()))
    assert [question.key for question in compound.questions] == keys
    single = judge_prompts(acorn, POND, JudgeFormat(calling=Calling.SINGLE))
    assert [[question.key for question in prompt.questions] for prompt in single] == [[key] for key in keys]


def test_each_candidate_is_judged_in_a_call_that_shows_no_other() -> None:
    prompts = judge_prompts(scheme_of("lfqa"), METAL, JudgeFormat(examples=0))
    assert [prompt.call.candidate for prompt in prompts] == [1, 2, 3, 0]
    for prompt in prompts:
        shown = [each.number for each in METAL.candidates if each.text in user(prompt)]
        assert shown == ([prompt.call.candidate] if prompt.call.candidate else [1, 2, 3])
    assert {question.slot_key for question in prompts[1].questions} == {
        "factuality.2",
        "amount.2",
        "formality.2",
        "acceptability.2",
    }
    assert [question.slot_key for question in prompts[-1].questions] == ["preferred", "preferred.forced"]


def test_mate_asks_for_each_aspect_of_each_candidate_independently() -> None:
    prompts = judge_prompts(scheme_of("lfqa"), METAL, JudgeFormat(calling=Calling.SINGLE, examples=0))
    assert len(prompts) == 3 * 4 + 1
    assert [question.slot_key for question in prompts[0].questions] == ["factuality.1"]
    assert "amount:" not in user(prompts[0])


@pytest.mark.parametrize(("calling", "asked"), [(Calling.COMPOUND, 1), (Calling.SINGLE, 1)])
def test_reasons_are_asked_for_only_when_wanted_and_beside_what_they_explain(calling: Calling, asked: int) -> None:
    ebr = scheme_of("ebr")
    item = texts_of_example(ebr.examples[0], ebr.parts)
    without = judge_prompts(ebr, item, JudgeFormat(calling=calling))
    assert all(question.options for prompt in some(without) for question in prompt.questions)
    with_reasons = judge_prompts(ebr, item, JudgeFormat(calling=calling, explain=True))
    texts = [[each.key for each in prompt.questions] for prompt in with_reasons if not prompt.questions[-1].options]
    assert len(texts) == asked
    assert texts[0][-2:] == ["completeness", "reasons"]


def test_a_scheme_without_labels_cannot_be_judged() -> None:
    scheme = build_scheme(
        read_scheme("{key: t, title: T, shown: [answer], aspects: [{key: why, kind: text, title: Why}]}")
    )
    with pytest.raises(PromptError, match="no aspect with labels"):
        judge_prompts(scheme, ItemTexts(answers=answers_of("x")), JudgeFormat())


def test_an_item_without_the_choices_to_choose_from_is_an_error() -> None:
    scheme = build_scheme(
        read_scheme("{key: t, title: T, shown: [choices], aspects: [{key: right, kind: item_choice, title: Which}]}")
    )
    with pytest.raises(PromptError, match="nothing to choose from for “Which”"):
        judge_prompts(scheme, ItemTexts(), JudgeFormat())


# --- What is shown ----------------------------------------------------------------------------------------


def test_all_parts_of_an_item_are_shown_in_the_schemes_order_each_behind_the_fence() -> None:
    scheme = build_scheme(read_scheme(ONE_ANSWER))
    item = texts_of_example(scheme.examples[0], scheme.parts)
    text = user(only(judge_prompts(scheme, item, JudgeFormat(format=Format.SIMPLE))))
    start = text[text.index("[[text ") :].split("\n", 1)[0]
    end = start.replace("[[text", "[[end of text")
    for heading, content in (
        ("Document:", "1. One.\n2. Two."),
        ("Cookbooks R1:", "A book\n1. Three."),
        ("Question: (It was asked at sentence 2.)", "Is it good?"),
        ("Choices:", "a. Good\nb. Bad"),
        ("Answers known to be right:", "- It is not."),
        ("Answer:", "It is."),
        ("Explanation:", "I like it."),
    ):
        assert f"{heading}\n{start}\n{content}\n{end}" in text
    headings = ["Document:", "Cookbooks R1:", "Question:", "Choices:", "Answers known", "Answer:", "Explanation:"]
    assert positions(text, *headings) == sorted(positions(text, *headings))


def test_what_an_item_lacks_is_said_or_left_out() -> None:
    text = user(only(judge_prompts(scheme_of("ebr"), ItemTexts(question="Why?"), JudgeFormat(examples=0))))
    assert "Document: (The text of the document is withheld by its publisher.)" in text
    assert "Answer: (Nothing was written here.)" in text
    assert "Reference document" not in text


def test_the_schemes_own_headings_are_used() -> None:
    assert "説明:" in user(only(judge_prompts(scheme_of("acorn", "ja"), POND, JudgeFormat(language="ja", examples=0))))


def test_line_ends_in_a_choice_cannot_make_another_choice() -> None:
    item = ItemTexts(question="q", answers=answers_of(rationale="r"), choices=("one\nb. two", "three"))
    assert "a. one b. two\nb. three" in user(only(judge_prompts(scheme_of("acorn"), item, JudgeFormat(examples=0))))


# --- Formats ----------------------------------------------------------------------------------------------


def variants_of(scheme: Scheme, item: ItemTexts, **options: object) -> dict[Variant, JudgePrompt]:
    prompts = judge_prompts(scheme, item, JudgeFormat(format=Format.AVERAGED, **options))  # type: ignore[arg-type]
    return {prompt.variant: prompt for prompt in prompts}


def test_the_averaged_format_has_six_variants_that_ask_for_the_same_labels() -> None:
    variants = variants_of(scheme_of("acorn"), POND, examples=2)
    assert list(variants) == [variant for variant in Variant if variant is not Variant.VERBATIM]
    simple = variants[Variant.SIMPLE]
    for prompt in variants.values():
        assert sorted(prompt.questions, key=lambda each: each.key) == sorted(
            simple.questions, key=lambda each: each.key
        )
        assert prompt.schema["properties"] == simple.schema["properties"]
    assert len({prompt.signature for prompt in variants.values()}) == 6
    assert len({prompt.template_signature for prompt in variants.values()}) == 6


def test_each_variant_varies_what_it_names() -> None:
    variants = {name: user(prompt) for name, prompt in variants_of(scheme_of("acorn"), POND, examples=1).items()}
    simple, item = variants[Variant.SIMPLE], "Ice carries a bird."
    criterion = "3. well_written: Is it well written? (Yes | No)"
    assert positions(simple, criterion, "Example 1:", item) == sorted(positions(simple, criterion, "Example 1:", item))
    assert "1. supports" not in variants[Variant.SHUFFLED] or "2. overall" not in variants[Variant.SHUFFLED]
    assert sorted(simple) != sorted(variants[Variant.PARAPHRASED])
    assert criterion not in variants[Variant.PARAPHRASED]
    assert "Grammar, wording and flow only" in variants[Variant.VERBOSE]
    assert "Grammar, wording and flow only" not in simple
    assert variants[Variant.REPEATED].count(criterion) == 3
    swapped = variants[Variant.SWAPPED]
    assert positions(swapped, "Example 1:", item, criterion) == sorted(
        positions(swapped, "Example 1:", item, criterion)
    )


def test_the_shuffled_order_and_the_paraphrase_are_drawn_by_the_seed() -> None:
    def order(seed: int) -> list[str]:
        return [each.key for each in variants_of(scheme_of("acorn"), POND, seed=seed)[Variant.SHUFFLED].questions]

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(10)}) > 5
    paraphrases = {user(variants_of(scheme_of("acorn"), POND, seed=seed)[Variant.PARAPHRASED]) for seed in range(20)}
    assert len(paraphrases) > 3
    assert all(order(seed) != [aspect.key for aspect in scheme_of("acorn").aspects] for seed in range(20)), (
        "the shuffled order is another one"
    )


def test_verbatim_shows_what_people_read_word_for_word() -> None:
    acorn = scheme_of("acorn")
    text = user(only(judge_prompts(acorn, POND, JudgeFormat(format=Format.VERBATIM))))
    assert acorn.guidelines.strip() in text
    for aspect in acorn.aspects:
        assert aspect.guidelines.strip() in text
        assert aspect.help in text
    for example in acorn.examples:
        assert example.rationale in text
        assert example.comment in text


def test_a_single_verbatim_call_shows_only_the_guidelines_of_its_aspect() -> None:
    acorn = scheme_of("acorn")
    prompts = judge_prompts(acorn, POND, JudgeFormat(calling=Calling.SINGLE))
    for aspect, prompt in zip(acorn.aspects, prompts, strict=True):
        shown = [other.key for other in acorn.aspects if other.guidelines.strip() in user(prompt)]
        assert shown == [aspect.key]
        assert acorn.examples[0].comment not in user(prompt)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_as_many_worked_examples_are_shown_as_were_asked_for(count: int) -> None:
    text = user(only(judge_prompts(scheme_of("acorn"), POND, JudgeFormat(format=Format.SIMPLE, examples=count))))
    assert text.count("The right reply:") == count


def test_an_example_of_a_group_is_shown_candidate_by_candidate() -> None:
    prompt = judge_prompts(scheme_of("lfqa"), METAL, JudgeFormat(format=Format.SIMPLE, examples=1))[0]
    assert user(prompt).count("The right reply:") == 2
    assert "factuality: 0\namount: 0\nformality: 0\nacceptability: 0" in user(prompt)


def test_an_example_says_not_applicable_where_its_condition_does_not_hold() -> None:
    rev = scheme_of("rev")
    text = user(only(judge_prompts(rev, texts_of_example(rev.examples[1], rev.parts), JudgeFormat(examples=1))))
    assert "justifies: No\nadditional_information: not applicable" in text
    assert "Only if the label of “Does the explanation justify the answer?” (justifies) is Yes" in text


def test_conditions_of_every_form_are_put_in_words() -> None:
    data = read_scheme(ONE_ANSWER)
    data["aspects"].append(
        {
            "key": "again",
            "kind": "stars",
            "title": "Again?",
            "shown_when": {
                "all": [
                    {"any": [{"aspect": "taste", "is": "bad"}, {"aspect": "salt", "at_least": 0.5}]},
                    {"not": {"aspect": "why", "answered": True}},
                ]
            },
        }
    )
    scheme = build_scheme(data)
    prompt = only(judge_prompts(scheme, texts_of_example(scheme.examples[0], scheme.parts), JudgeFormat(examples=0)))
    assert (
        "Only if the label of “How does it taste?” (taste) is Bad, "
        "or the label of “How salty is it?” (salt) is 0.5 | 1, "
        "and it is not so that there is something to say to “Why?” (why); otherwise write: not applicable"
    ) in user(prompt)


# --- Replies asked for ------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", presets())
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("calling", list(Calling))
def test_the_reply_schema_accepts_the_right_reply_to_every_worked_example(
    key: str, language: str, calling: Calling
) -> None:
    import json

    scheme = scheme_of(key, language)
    for example in some(scheme.examples):
        asking = JudgeFormat(calling=calling, examples=0, form=ReplyForm.JSON, explain=True, language=language)
        for prompt in some(judge_prompts(scheme, texts_of_example(example, scheme.parts), asking)):
            reply = json.loads(render_reply(prompt.questions, example.values, ReplyForm.JSON))
            Draft202012Validator(prompt.schema).validate(reply)
            assert not Draft202012Validator(prompt.schema).is_valid(reply | {"more": "x"})
            assert not Draft202012Validator(prompt.schema).is_valid({})


def test_labels_that_could_be_confused_are_shown_by_their_keys() -> None:
    aspect = """
    {key: t, title: T, shown: [answer], aspects: [{key: q, kind: choice, title: Q, scale: {level: nominal,
     choices: [{key: one, label: "Good!"}, {key: two, label: good}]}}]}"""
    prompt = only(judge_prompts(build_scheme(read_scheme(aspect)), ItemTexts(answers=answers_of("x")), JudgeFormat()))
    assert prompt.schema["properties"]["q"]["enum"] == ["one", "two"]
    assert "one (Good!) | two (good)" in user(prompt)


# --- Signatures -------------------------------------------------------------------------------------------


def test_the_same_arguments_give_the_same_prompts() -> None:
    for format_ in Format:
        asking = JudgeFormat(format=format_, examples=1)
        assert judge_prompts(scheme_of("acorn"), POND, asking) == judge_prompts(scheme_of("acorn"), POND, asking)


def test_the_signature_follows_the_item_and_the_template_signature_does_not() -> None:
    one = only(judge_prompts(scheme_of("acorn"), POND, JudgeFormat()))
    other = only(judge_prompts(scheme_of("acorn"), ItemTexts(question="q", choices=("a", "b")), JudgeFormat()))
    assert one.signature != other.signature
    assert one.template_signature == other.template_signature


@pytest.mark.parametrize(
    "change",
    [
        JudgeFormat(examples=1),
        JudgeFormat(form=ReplyForm.JSON),
        JudgeFormat(format=Format.SIMPLE),
        JudgeFormat(language="ja"),
    ],
)
def test_the_template_signature_follows_everything_but_the_item(change: JudgeFormat) -> None:
    base = only(judge_prompts(scheme_of("acorn"), POND, JudgeFormat()))
    assert only(judge_prompts(scheme_of("acorn"), POND, change)).template_signature != base.template_signature


def test_a_changed_guideline_changes_both_signatures() -> None:
    data = preset("acorn")
    base = only(judge_prompts(build_scheme(data), POND, JudgeFormat()))
    data["guidelines"]["en"] += "\nTake your time."
    changed = only(judge_prompts(build_scheme(data), POND, JudgeFormat()))
    assert changed.signature != base.signature
    assert changed.template_signature != base.template_signature


def test_a_task_of_ones_own_needs_no_code() -> None:
    duel = build_scheme(read_scheme(GROUP))
    prompts = judge_prompts(duel, METAL, JudgeFormat(explain=True))
    assert [question.key for question in prompts[-1].questions] == ["preferred", "preferred.forced", "why"]
    assert [prompt.questions[0].slot_key for prompt in prompts[:-1]] == ["truth.1", "truth.2", "truth.3"]
