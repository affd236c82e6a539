"""Guidelines: tables are drawn, and images that pages do not load are refused before anybody misses them."""

import pytest

from annotation_platform.annotations.forms.guidelines import as_html
from annotation_platform.core.schemes import SchemeError, build_scheme, read_scheme
from annotation_platform.core.schemes.summary import summary

SCHEME = """\
key: s
title: S
shown: [question, candidates]
aspects:
  - {key: best, kind: best_of, title: Which is best}
  - {key: good, kind: yes_no, title: Good, per: candidate}
guidelines:
  en: |
    Look.
    IMAGE
"""


def test_a_table_is_a_table() -> None:
    html = as_html("| a | b |\n| --- | --- |\n| 1 | <b>2</b> |\n")
    assert "<table>" in html
    assert "<td>1</td>" in html
    assert "<b>" not in html


@pytest.mark.parametrize(
    "address", ["https://example.org/a.png", "http://example.org/a.png", "//example.org/a.png", "HTTPS://example.org/a"]
)
def test_an_image_of_another_server_is_a_mistake_with_its_line(address: str) -> None:
    with pytest.raises(SchemeError, match=r"guidelines.*has an image of another server") as refused:
        read_scheme(SCHEME.replace("IMAGE", f"![A picture]({address})"))
    assert refused.value.mistakes[0].line > 0


@pytest.mark.parametrize(
    "text", ["![A dot](data:image/png;base64,AAAA)", "[A link](https://example.org/a.png)", "`![x](https://x.org/a)`"]
)
def test_images_in_the_text_and_links_are_fine(text: str) -> None:
    assert read_scheme(SCHEME.replace("IMAGE", text))


def test_the_check_says_that_the_answers_come_first() -> None:
    lines = summary(build_scheme(read_scheme(SCHEME.replace("IMAGE", ""))))
    assert any("pages show the answers first, and ask best below them" in line for line in lines)
