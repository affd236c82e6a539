"""How fast a chart answers on the demo's studies: ``python -m benchmarks.charts``.

A fresh demo of its own on SQLite. A researcher signs in, opens the agreement pages once (as anybody does before a
chart is asked for), then each page's charts are asked for in turn: the whole request, as the browser sends it, first
each for the first time in this process, then three times more.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from html import unescape
from http.cookiejar import CookieJar
from statistics import median
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from benchmarks.footprint import demo

PAGES = ("", "annotators/", "pairs/", "systems/", "raters/", "variants/", "human-llm/", "sentences/")
AGAIN = 3
WANTED = 0.150  # seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--idle", type=float, default=20, help="seconds after the first page, in which somebody reads")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data_dir, demo(data_dir) as started:
        started.wait_for_worker()
        browser, home = signed_in(f"http://127.0.0.1:{started.port}")
        charts = charts_of(browser, home)
        time.sleep(options.idle)
        first = {chart: asked(browser, home + chart) for chart in charts}
        later = {chart: median(asked(browser, home + chart) for _ in range(AGAIN)) for chart in charts}
    report(first, later)
    return 0


def signed_in(home: str) -> tuple[OpenerDirector, str]:
    """A browser that has pressed the demo's button of the researcher."""
    cookies = CookieJar()
    browser = build_opener(HTTPCookieProcessor(cookies))
    page = browser.open(f"{home}/").read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    action = re.search(r'<form[^>]*action="([^"]*researcher[^"]*)"', page)
    if token is None or action is None:
        raise SystemExit("The demo's home has no button of the researcher.")
    body = urlencode({"csrfmiddlewaretoken": token[1]}).encode()
    browser.open(Request(home + action[1], body, {"Referer": f"{home}/"})).read()
    return browser, home


def charts_of(browser: OpenerDirector, home: str) -> list[str]:
    """The addresses of all charts on the agreement pages of all studies, as wide as a card."""
    slugs = dict.fromkeys(re.findall(r'href="/studies/([\w-]+)/', browser.open(f"{home}/").read().decode()))
    found = []
    for slug in slugs:
        for page in PAGES:
            try:
                text = browser.open(f"{home}/studies/{slug}/agreement/{page}").read().decode()
            except OSError:
                continue  # not every study has every page
            found += [unescape(address) for address in re.findall(r'data-spec="([^"]+)"', text)]
    if not found:
        raise SystemExit("There is no chart on any page.")
    return [f"{each}{'&' if '?' in each else '?'}width=600" for each in dict.fromkeys(found)]


def asked(browser: OpenerDirector, address: str) -> float:
    """Seconds until the whole specification is there."""
    began = time.perf_counter()
    browser.open(address).read()
    return time.perf_counter() - began


def report(first: dict[str, float], later: dict[str, float]) -> None:
    for name, times in (("for the first time", first), ("again", later)):
        found = sorted(times.values())
        print(
            f"{name}: {len(found)} charts, median {1000 * median(found):.0f} ms,"
            f" p95 {1000 * found[int(0.95 * len(found))]:.0f}, slowest {1000 * found[-1]:.0f};"
            f" above {1000 * WANTED:.0f} ms: {sum(each > WANTED for each in found)}"
        )
    print(f"the very first: {1000 * next(iter(first.values())):.0f} ms")
    for address in sorted(first, key=first.__getitem__)[-5:]:
        print(f"  {1000 * first[address]:5.0f} ms, again {1000 * later[address]:4.0f}  {address}")


if __name__ == "__main__":
    sys.exit(main())
