"""In which language a page is, and whether all that it says is."""

import re

from django.utils.html import strip_tags

from tests.translations.pseudo import Data, left_in

KANA_OR_KANJI = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
WITH_OTHER_LANGUAGE = re.compile(r"<(\w+)[^>]*\slang=\"(?!en)[a-z-]+\"[^>]*>.*?</\1>", re.DOTALL)


def language_of(page: str) -> str:
    found = re.search(r"<html lang=\"([a-z-]+)\">", page)
    assert found
    return found[1]


def shown(page: str) -> str:
    """The words of an English page, without those that say of themselves that they are in another language."""
    page = re.sub(
        r"<title>.*?</title>|<script.*?</script>|<kbd.*?</kbd>|<svg.*?</svg>|<textarea.*?</textarea>",
        "",
        page,
        flags=re.DOTALL,
    )
    page = re.sub(WITH_OTHER_LANGUAGE, "", page)
    spoken = " ".join(re.findall(r"(?:aria-label|title|placeholder|alt)=\"([^\"]*)\"", page))
    return strip_tags(page.replace("<", " <")) + " " + spoken


def check_language(page: str, header: str, data: Data) -> None:
    """A page in Japanese has no word of English, one in English none of Japanese, and the header says the same."""
    if "<html" not in page:
        return
    language = language_of(page)
    assert header == language
    if language == "ja":
        left = left_in(page, data)
        assert not left, "\n".join(text for text, _ in left)
    else:
        words = shown(page)
        assert KANA_OR_KANJI.findall(words) == []
        assert not re.search(r"\d年|\d月", words)
