"""A function of one of our scripts, called in the browser: what Python says too is compared with it."""

import base64
from pathlib import Path
from typing import Any

from django.conf import settings
from playwright.sync_api import Page

SCRIPTS = Path(settings.BASE_DIR) / "annotation_platform" / "static"


def in_browser(browser: Any, script: str, function: str, cases: list[list[Any]]) -> list[Any]:
    """What the function of a module without imports gives for each case's arguments; sets as sorted lists."""
    page: Page = browser.new_page()
    page.goto("about:blank")
    answers: list[Any] = page.evaluate(
        """async ([script, name, cases]) => {
            const module = await import(script);
            const plain = (said) => said instanceof Set ? [...said].sort((a, b) => a - b) : said;
            return cases.map((given) => plain(module[name](...given)));
        }""",
        [
            "data:text/javascript;base64," + base64.b64encode((SCRIPTS / script).read_bytes()).decode(),
            function,
            cases,
        ],
    )
    page.close()
    return answers
