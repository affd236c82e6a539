"""Where the words of a conversation stand in the one text that spans count their places in."""

import pytest

from annotation_platform.core.turns import ToolCall, Turn, as_text, placed_turns, reply_as_text

CALL = ToolCall("look_up", '{"q": "ice"}', "Ice: 0.917")
ANN = Turn("user", "Why\r\n\U0001f6a2?", name="Ann")
LOOKING = Turn("assistant", "Let me look.", calls=(CALL,))
CASES = {
    "a question alone": [Turn("user", "Why?")],
    "of several": [
        Turn("system", "Be brief."),
        Turn("user", "Why\r\n\U0001f6a2?", name="Ann"),
        Turn("assistant", "So."),
    ],
    "a reply in parts": [
        Turn("assistant", "One."),
        Turn("assistant", "Let me look.", calls=(CALL,)),
        Turn("assistant", "Two."),
    ],
    "calls alone": [Turn("assistant", calls=(CALL, ToolCall("stop"))), Turn("assistant", calls=(CALL,))],
    "a call among others": [Turn("assistant", calls=(CALL, CALL)), Turn("user", "Go on."), Turn("assistant", "")],
    "nothing at first": [Turn("assistant"), Turn("assistant")],
}


@pytest.mark.parametrize("turns", CASES.values(), ids=CASES)
@pytest.mark.parametrize("is_reply", [False, True])
def test_every_piece_stands_where_it_says_and_the_rest_is_between(turns: list[Turn], is_reply: bool) -> None:
    text = reply_as_text(turns) if is_reply else as_text(turns)
    placed = placed_turns(turns, text, is_reply=is_reply)
    assert [each.turn for each in placed] == turns
    end, told = 0, ""
    for piece in (piece for each in placed for piece in each.pieces):
        assert text[piece.start : piece.end] == piece.text
        assert text[end : piece.start] == piece.before
        told, end = told + piece.before + piece.text, piece.end
    assert text.startswith(told)


def test_what_is_no_part_of_the_text_has_no_place() -> None:
    turns = CASES["a reply in parts"]
    placed = placed_turns(turns, "One.\n\nTwo.", is_reply=True)
    assert [[piece.start for piece in each.pieces] for each in placed] == [[0], [], [6]]


def test_calls_that_are_the_text_have_places() -> None:
    (first, second) = placed_turns(CASES["calls alone"], reply_as_text(CASES["calls alone"]), is_reply=True)
    assert [(piece.text, piece.start) for piece in first.calls] == [('look_up({"q": "ice"})', 0), ("stop()", 22)]
    assert [piece.start for piece in second.calls] == [30]


def test_another_text_than_the_turns_give_has_no_places() -> None:
    assert placed_turns([Turn("user", "Why?")], "How?") == ()
