"""Annotators played by a script by way of the API, where no page is what a test is about."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2

Judge = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class ScriptedAnnotator:
    """Joins with a name. ``judge`` gives the values for an item as the API shows it."""

    def __init__(self, link: str, name: str, judge: Judge) -> None:
        parts = urlsplit(link)
        self._root = f"{parts.scheme}://{parts.netloc}"
        self._judge = judge
        self._client = httpx2.Client(follow_redirects=True, timeout=60)
        page = self._client.get(link)
        mark = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert mark is not None, page.text
        self._client.post(link, data={"csrfmiddlewaretoken": mark[1], "who": name}).raise_for_status()

    def work(self, study: str) -> int:
        """Take and judge all that there is; give how many judgments that made."""
        count = 0
        while (taken := self._post(f"/work/{study}/take", {})).is_success:
            task = taken.json()
            for item in task["items"]:
                body = {"values": dict(self._judge(item)), "scheme_signature": task["scheme_signature"], "seconds": 9.0}
                path = f"/tasks/{task['id']}/items/{item['position']}/judgment"
                self._post(path, body).raise_for_status()
                count += 1
        self._client.close()
        return count

    def token(self, scope: str) -> str:
        """A token of their own, which the page shows this once."""
        address = f"{self._root}/my-account/tokens/"
        sent = {"name": "a front end", "scopes": scope, "csrfmiddlewaretoken": self._client.cookies["csrftoken"]}
        page = self._client.post(address, data=sent, headers={"Referer": self._root})
        secret = re.search(r'id="secret">([^<]+)<', page.text)
        assert secret is not None, page.text
        self._client.close()
        return secret[1]

    def _post(self, path: str, body: Mapping[str, Any]) -> httpx2.Response:
        headers = {"X-CSRFToken": self._client.cookies["csrftoken"], "Referer": self._root}
        return self._client.post(f"{self._root}/api/v1{path}", json=body, headers=headers)
