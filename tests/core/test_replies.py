"""Replies of language models, plain and awkward, and the number that a careful reader takes from them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.methods.replies import ScoreReading, Unread, read_score
from tests.published import EBR

READABLE = [
    # as the released data has them
    ("100", 100),
    ("0", 0),
    ("Score: 20", 20),
    ("Score: 0. The response misses all information.", 0),
    ("70. The response covers the main point but leaves out the date.", 70),
    ("100 (The response has everything that was asked for)", 100),
    ("Score: 80 - The response includes sentences 3 and 4, but not sentence 9.", 80),
    ("50. \n\nThe response names the witness, but not the 2 defendants.", 50),
    ("Score: 40. The feedback says it is not relevant, so it cannot receive a high score.", 40),
    # fractions and units
    ("20/100", 20),
    ("85 / 100", 85),
    ("Score: 85%", 85),
    ("Score: 85 out of 100", 85),
    ("90 points", 90),
    ("72.5", 72.5),
    ("Score: 100/100.", 100),
    ("85点", 85),
    # Markdown, quotes, structured output
    ("**Score:** 85", 85),
    ("**Score: 85**", 85),
    ("# Score\n\n85", 85),
    ("`85`", 85),
    ("> 85", 85),
    ("```\n85\n```", 85),
    ('"85"', 85),
    ("(85)", 85),
    ('{"score": 85, "reason": "misses 2 dates"}', 85),
    ('{"score": "85"}', 85),
    (r"The final answer is $\boxed{85}$.", 85),
    # other ways to name it
    ("Rating: 30", 30),
    ("Final score: 65", 65),
    ("score=65", 65),
    ("SCORE : 65", 65),
    ("Score — 65", 65),
    ("Score： ８５", 85),
    ("Score: approximately 45", 45),
    ("\n\n  Score:\n55\n", 55),
    # inside prose
    ("I'd say 40 out of 100", 40),
    ("I would give this response a score of 70.", 70),
    ("Based on the feedback, I would rate the answer 35.", 35),
    ("The score is 15 because sentences 3, 4 and 12 are missing.", 15),
    ("The answer deserves 60, since two of five names are absent.", 60),
    ("It misses the date in sentence 12.\n\n60", 60),
    ("It misses 3 names.\nScore: 60", 60),
    ("1. The date is wrong.\n2. The place is missing.\nScore: 30", 30),
    ("Sentence 1: 100\nSentence 2: 50\nFinal score: 75", 75),
    # the scale is not the score
    ("On a scale of 0 to 100, I would give it 85.", 85),
    ("Score (0-100): 85", 85),
    ("On the 0–100 scale: 85", 85),
    # said twice, or set against another
    ("Score: 70. A score of 100 would need the date.", 70),
    ("70\n\nScore: 70", 70),
    ("Score: 50\n\nOn reflection the omission is small.\n\nFinal score: 70", 70),
    ("This does not deserve a score of 100. I would assign it 80.", 80),
    ("<think>Maybe 40? The label says missing minor, so 70.</think>75", 75),
    ("Maybe 30? Score: 30. No, that is harsh.\n</think>\n\n70", 70),
    ("Score: 30 perhaps</think>I would give it 70.", 70),
    # what something cost is not the score, nor are parts of something else
    ("10 points off for the missing date, so 90.", 90),
    ("2 points are missing. Score of 60.", 60),
    ("30 points deducted. Score is 70.", 70),
    ("20 points deducted for the date.\n80", 80),
    ("70 points because two names are missing", 70),
    ("60% complete, the date is missing", 60),
    ("10点減点して90点", 90),
    ("30点引いて70点", 70),
    ("10点を差し引いて90点です", 90),
    ("減点は10点なので90点です", 90),
    ("減点10点。スコアは90点", 90),
    # other words behind the points take none of them
    ("70 points in total", 70),
    ("70 points of 100", 70),
    ("70 points of a possible 100", 70),
    ("70 points overall", 70),
    ("70 points total", 70),
    ("70 points given that the date is missing", 70),
    ("70 points due to missing details", 70),
    ("70 points for accuracy and clarity", 70),
    ("70 points based on the feedback", 70),
    ("70 points is my score", 70),
    ("70 points are fair", 70),
    ("70 points, missing the date", 70),
    ("70 points, lost 30 for the date", 70),
    ("70 points\nMissing: the date", 70),
    ("70% is fair", 70),
    ("70% would be fair", 70),
    ("70% good", 70),
    ("70% match", 70),
    ("70% of the score", 70),
    ("70点が妥当です", 70),
    ("70点でよい", 70),
    ("70点 減点理由：日付が抜けている", 70),
    ("70点に下げます", 70),
    ("80 points (deducted for the missing date)", 80),
    ("80 points, deducted for the date", 80),
    ("80%, lost a little for style", 80),
    ("80 points missing the date", 80),
    ("70 points I deducted 30 for the date", 70),
    ("80 points is below average", 80),
    ("80 points are enough", 80),
    ("80点は低い評価だが、日付が抜けている", 80),
    ("80点も低い", 80),
    ("90点 減点要素あり", 90),
    ("90点 減点なし", 90),
    ("90点 マイナス要素なし", 90),
    ("80点の理由は日付がないことです", 80),
    ("80点の出来です", 80),
    ("日付の欠落で減点、80点", 80),
    ("20点減点で80点", 80),
    ("文3の欠落で10点減点、文5の欠落で10点減点。よって80点", 80),
    # reasons begin with words that count something elsewhere, on the line below and on the same one
    ("スコア：85\n文3と文5が正しい。", 85),
    ("スコア：85 文3と文5が正しい。", 85),
    ("スコア：85文3は正しい。", 85),
    ("85\n文3が正しい", 85),
    ("85 文1は正しい", 85),
    ("85\n人物名が違う。", 85),
    ("85\n\n人物が二人抜けている。", 85),
    ("スコア: 85\n行為の主体が違う。", 85),
    ("スコア: 85 行為の主体が違う。", 85),
    ("Score: 85\n年号が違う。", 85),
    ("Score: 85 年号が違う。", 85),
    ("スコア: 85\nつまり、日付だけがない。", 85),
    ("スコア: 85 つまり、日付だけがない。", 85),
    ("85\n名前が違う", 85),
    ("85\n月日が違う", 85),
    ("85\n件数が違う", 85),
    ("85\n個人名が違う", 85),
    ("85\nヶ所の表記が違う", 85),
    ("<think>60点？</think>85\n文3が正しい", 85),
    ('{"score": 85,\n"reason": "文3が欠けている"}', 85),
    # an answer that counts nothing is the score
    ("答えは80です", 80),
    ("答えは80です\n文3が欠けている。", 80),
    ("回答：80と評価します", 80),
    ("回答：80 文3が抜けている", 80),
    ("最終回答：80が妥当です", 80),
    ("Answer: 80 because it is complete", 80),
    ("Answer: 80 total", 80),
    ("Answer: 80 The date is missing.", 80),
    ("Answer: 80\nSentences 1-4 are covered.", 80),
    ("Answer: 80 points\nThe date is missing.", 80),
    ("Overall: 80 for a good answer", 80),
    ("Result: 60 due to errors", 60),
    ("Final answer: 80 overall", 80),
    ("Final answer: 3 items. Score: 80", 80),
    ("Final answer: 3 items.\nScore: 80", 80),
    ("最終回答：3。スコア：80", 80),
    ("最終回答：3つ。\nスコア：80", 80),
    ("Score: 60\nThat is harsh.\nFinal answer: 80", 80),
    ("Final answer: 80. Rating: 4", 80),
    # the answer that is judged, and other figures beside the score
    ("Score: 40\nAnswer: 2 sentences are missing.", 40),
    ("Score: 40. Result: 3 of 5 names are there.", 40),
    ("スコア：40。回答は3つの点しか挙げていない。", 40),
    ("スコア：40。評価は2つの理由による。", 40),
    ('{"score": 80, "rating": 4}', 80),
    ("Score: 70\nReason: a score: 100 would need the date.", 70),
    ("Score: 80 (the annotator's grade: 4)", 80),
    ("スコア：80（元の評価：4）", 80),
    ("40点\n回答：2文が欠けている。", 40),
    # sentences that it cites are no scale
    ("Score: 0. The answer misses the key facts (sentences 1-4).", 0),
    ("Score: 5. It ignores sentences 1-5, which say so.", 5),
    ("0\nThe annotator names sentences 1 to 4, all missed.", 0),
    ("0点。文1から5の内容が抜けている", 0),
    ("Score: 3 (see R1:1-4)", 3),
    ("Score: 4 (T1:1-5)", 4),
    ("Score: 5 (sentences R1:1-5)", 5),
    ("Score: 3 (sentences 2, 1-4)", 3),
    ("Score: 3 (sentences 7-8 and 1-4)", 3),
    ("Score: 3 (documents 1-4)", 3),
    ("Score: 3 (turns 1-4)", 3),
    ("Score: 3 (passages 1-4; references 1-5)", 3),
    ("Score: 3 (s. 1-5)", 3),
    ("スコア：3（文2、1-4）", 3),
    # other names of it, tags, tables
    ("Answer: 65", 65),
    ("Final answer: 80", 80),
    ("The final answer is 100 too often. Final answer: 80", 80),
    ("Overall: 70", 70),
    ("Result: 70", 70),
    ("Verdict: 70/100", 70),
    ("Overall rating: 70", 70),
    ("Corrected score: 60", 60),
    ("<score>70</score>", 70),
    ("<answer>\n70\n</answer>", 70),
    ("<final_score>70</final_score>", 70),
    ("The omission is small. [[70]]", 70),
    ("Feedback: it misses a date. [RESULT] 70", 70),
    ("| Score | 70 |", 70),
    ("Score -> 70", 70),
    ("Score => 70", 70),
    ("Score (out of 100): 70", 70),
    ("Score out of 100: 70", 70),
    ("Score for this answer: 70", 70),
    ("Completeness score: 70", 70),
    ('{"reasoning": "two of 5 names", "score": 70, "max_score": 100}', 70),
    ("Maximum score: 100\nScore: 70", 70),
    ("Score: 70\nConfidence: 90", 70),
    ("Score: 70 (was 60 before)", 70),
    ("70 of 100", 70),
    # hedged
    ("About 70", 70),
    ("Around 70.", 70),
    ("~70", 70),
    ("Approximately 70 out of 100", 70),
    ("Probably 70", 70),
    ("I'd say 70.", 70),
    ("I would say about 70", 70),
    ("I would go with 70.", 70),
    ("I'd put it at 70.", 70),
    ("The answer gets 70.", 70),
    ("This response earns a 70.", 70),
    ("A fair score would be about 70.", 70),
    # taken back, replaced
    ("I'd say 100 is too high, so 80", 80),
    ("100 would be too generous, so 80.", 80),
    ("A score of 100 seems too high; therefore 80", 80),
    ("I would give it 40, but that is harsh. 30 is too low, so I'd say 50.", 50),
    ("30, no wait, 40", 40),
    ("30. No, make it 40.", 40),
    ("30... actually, 40.", 40),
    ("30 — correction: 40", 40),
    ("Score: 30. Wait, it should be 40.", 40),
    ("Score: 30\nActually, let's say 40.", 40),
    ("The score is 20. No, the score should be 40.", 40),
    ("On second thought, 40", 40),
    ("Score: 20\nScore: 40", 40),
    ("Initial score: 20\nScore: 40", 40),
    # Japanese
    ("スコア：70", 70),
    ("スコア: 70", 70),
    ("スコアー：70", 70),
    ("スコアは70です。", 70),
    ("スコアは、70点です。", 70),
    ("点数：70点", 70),
    ("得点：70", 70),
    ("評価：７０点", 70),
    ("評価点は70。", 70),
    ("採点結果：70", 70),
    ("答え：65", 65),
    ("最終スコア：80", 80),
    ("スコア：60\n最終スコア：80", 80),
    ("回答のスコア：60/100", 60),
    ("スコア：「70」", 70),
    ("スコア【70】", 70),
    ("70点です。", 70),
    ("70点", 70),
    ("約70点", 70),
    ("この回答には70点をつけます。", 70),
    ("日付が抜けているため、70点とします。", 70),
    ("100点満点中70点", 70),
    ("100点満点で70点です。", 70),
    ("0から100の尺度で85", 85),
    ("文3の内容が抜けています。\nスコア：70", 70),
    ("80点は高すぎるので70点", 70),
    ("80点、いや70点", 70),
    ("スコア：80。訂正：70", 70),
    ("70（理由：日付が抜けている）", 70),
]

UNREADABLE = [
    ("", Unread.EMPTY),
    ("   \n ", Unread.EMPTY),
    ("<think>Perhaps 40, or", Unread.EMPTY),
    ("Score: 40, I think.\n</think>", Unread.EMPTY),
    ("30 points lost.", Unread.NO_SCORE),
    ("10 points off", Unread.NO_SCORE),
    ("10 points, taken off", Unread.NO_SCORE),
    ("10 points (deducted).", Unread.NO_SCORE),
    ("10 points were taken off", Unread.NO_SCORE),
    ("10 points have been deducted", Unread.NO_SCORE),
    ("10 points lower than the other answer", Unread.NO_SCORE),
    ("10 points less", Unread.NO_SCORE),
    ("2 points are not in the answer", Unread.NO_SCORE),
    ("2 points were missed", Unread.NO_SCORE),
    ("30% missing", Unread.NO_SCORE),
    ("60% of its facts", Unread.NO_SCORE),
    ("60% of facts", Unread.NO_SCORE),
    ("I would give 10 points off", Unread.NO_SCORE),
    ("I would give it a deduction of 10 points", Unread.NO_SCORE),
    ("This is worth 10 points off", Unread.NO_SCORE),
    ("10点を差し引きました", Unread.NO_SCORE),
    ("10点差し引きます", Unread.NO_SCORE),
    ("30点 減点", Unread.NO_SCORE),
    ("減点10点", Unread.NO_SCORE),
    ("減点は10点です", Unread.NO_SCORE),
    ("10点を失う", Unread.NO_SCORE),
    ("10点マイナス", Unread.NO_SCORE),
    ("10点低い", Unread.NO_SCORE),
    ("10点ほど引きます", Unread.NO_SCORE),
    ("60%の事実が欠けている", Unread.NO_SCORE),
    ("Answer: 2 sentences are missing.", Unread.NO_SCORE),
    ("Final answer: 3 names are missing.", Unread.NO_SCORE),
    ("3点の誤りがある。", Unread.NO_SCORE),
    ("60点以上", Unread.NO_SCORE),
    ("10点減", Unread.NO_SCORE),
    ("回答は3つの点しか挙げていない。", Unread.NO_SCORE),
    ("評価は2つの理由による。", Unread.NO_SCORE),
    ("60% of the facts are missing", Unread.NO_SCORE),
    ("30点減点。", Unread.NO_SCORE),
    ("Score: 3 (0-4)", Unread.OTHER_SCALE),
    ("Score: 3 (scale: 1-5)", Unread.OTHER_SCALE),
    ("I'm sorry, but I can't assign a score without the article.", Unread.REFUSAL),
    ("As a language model I am unable to judge this.", Unread.REFUSAL),
    ("I cannot give a score of 100 here.", Unread.REFUSAL),
    ("Score: N/A", Unread.REFUSAL),
    ("The response misses some information.", Unread.NO_SCORE),
    ("The response misses sentence 12 of the article.", Unread.NO_SCORE),
    ("3 names are missing", Unread.NO_SCORE),
    ("In 2014, 298 people died.", Unread.NO_SCORE),
    ("Score:", Unread.NO_SCORE),
    ("Score: high", Unread.NO_SCORE),
    ("Score: -5", Unread.OUT_OF_RANGE),
    ("-5", Unread.OUT_OF_RANGE),
    ("Score: 101", Unread.OUT_OF_RANGE),
    ("1000", Unread.OUT_OF_RANGE),
    ("Score: 7/10", Unread.OTHER_SCALE),
    ("4 out of 5", Unread.OTHER_SCALE),
    ("I'd give it 3.5/5.", Unread.OTHER_SCALE),
    ("Score: 60-70", Unread.AMBIGUOUS),
    ("60 to 70", Unread.AMBIGUOUS),
    ("60 or 70", Unread.AMBIGUOUS),
    ("Score: 80+", Unread.AMBIGUOUS),
    ("20\n40", Unread.AMBIGUOUS),
    ("Score: 1,000", Unread.AMBIGUOUS),
    ("Score: 100 for the first sentence and 0 for the second", Unread.AMBIGUOUS),
    ("Score: \nAnswer sentence 1: 100 (supported by 3)\nAnswer sentence 2: 0", Unread.SEPARATE_SCORES),
    ("Part 1: 80\nPart 2: 20", Unread.SEPARATE_SCORES),
    ("Sentence 1 score: 100\nSentence 2 score: 50", Unread.SEPARATE_SCORES),
    ("文1：100点\n文2：50点", Unread.SEPARATE_SCORES),
    # another scale than was asked for
    ("Rating 4 of 5", Unread.OTHER_SCALE),
    ("Rating: 4 of 5", Unread.OTHER_SCALE),
    ("4 of 5", Unread.OTHER_SCALE),
    ("Score: 8 out of a possible 10", Unread.OTHER_SCALE),
    ("Score: 0.85", Unread.OTHER_SCALE),
    ("0.7", Unread.OTHER_SCALE),
    ("4 stars", Unread.OTHER_SCALE),
    ("Score (1-5): 4", Unread.OTHER_SCALE),
    ("On a scale from 1 to 10: 7", Unread.OTHER_SCALE),
    ("On a 5-point scale: 4", Unread.OTHER_SCALE),
    ("10点満点で8点", Unread.OTHER_SCALE),
    ("5段階で4", Unread.OTHER_SCALE),
    ("スコア：8/10", Unread.OTHER_SCALE),
    ("星4つ", Unread.NO_SCORE),
    ("[[7/10]]", Unread.OTHER_SCALE),
    # doubt
    ("between 60 and 70", Unread.NO_SCORE),
    ("The score is between 60 and 70.", Unread.AMBIGUOUS),
    ("70 ± 5", Unread.AMBIGUOUS),
    ("60点〜70点", Unread.AMBIGUOUS),
    ("スコア：60から70", Unread.AMBIGUOUS),
    ("It gets 3 of 5 names.", Unread.OTHER_SCALE),
    ("100 is too high.", Unread.NO_SCORE),
    ("Confidence: 90", Unread.NO_SCORE),
    ("Confidence score: 90", Unread.NO_SCORE),
    ("Maximum score: 100", Unread.NO_SCORE),
    ("文3と文12が抜けています。", Unread.NO_SCORE),
    ("2014年に298人が亡くなりました。", Unread.NO_SCORE),
    ("判断できません。", Unread.REFUSAL),
    ("申し訳ありませんが、採点いたしかねます。", Unread.REFUSAL),
    ("スコア：なし", Unread.NO_SCORE),
]


@pytest.mark.parametrize(("reply", "score"), READABLE)
def test_takes_the_score_that_a_careful_reader_takes(reply: str, score: float) -> None:
    assert read_score(reply) == ScoreReading(score, None)


@pytest.mark.parametrize(("reply", "reason"), UNREADABLE)
def test_takes_nothing_from_a_reply_that_leaves_doubt_and_says_why(reply: str, reason: Unread) -> None:
    assert read_score(reply) == ScoreReading(None, reason)


@given(st.text(alphabet=st.sampled_from("score: 0123456789.,/%-\n*()[]1ofto") | st.characters()))
def test_never_raises_and_never_leaves_the_scale(reply: str) -> None:
    reading = read_score(reply)
    assert (reading.value is None) != (reading.reason is None)
    assert reading.value is None or 0 <= reading.value <= 100


def test_reads_a_very_long_reply_in_one_sweep() -> None:
    essay = "I would not give it 40. Sentence 12 says 7 of 9. " * 4000
    assert read_score(essay + "\nScore: 55").value == 55
    assert read_score(essay).value is None


@pytest.mark.parametrize(
    "words", ["score", "so", "70", "70 is", "no ,", "I would say", "0", "Sentence 1", "scale from 1"]
)
def test_thousands_of_blanks_do_not_hold_it_up(words: str) -> None:
    """A pattern that goes back and forth over them would not end before the test run does."""
    assert read_score(words + " \n" * 20_000 + "x" + " " * 20_000) == read_score(words + "\nx")


@pytest.mark.release
def test_reads_every_published_reply_but_the_one_that_scores_two_sentences() -> None:
    files = sorted(EBR.glob("*.json"))
    if not files:
        pytest.skip(f"the released EBR data is not at {EBR}")
    judgments = [
        judgment
        for file in files
        for article in json.loads(file.read_text(encoding="utf-8")).values()
        for question in article["question_details"].values()
        for system in question["system"].values()
        for judgment in system["annotation_details"].values()
    ]
    readings = [(read_score(judgment["ebr_raw"]), judgment["ebr_num"]) for judgment in judgments]

    assert len(readings) == 12_650
    assert sum(reading.value == number for reading, number in readings if number is not None) == 12_649
    assert [reading.reason for reading, number in readings if number is None] == [Unread.SEPARATE_SCORES]
