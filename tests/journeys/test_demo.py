"""The demo as a stranger meets it: one command, one click, two questions, scores, agreement, the export, Ctrl-C."""

import csv
import http.client
import io
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import rests_on

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.browser, pytest.mark.long(*rests_on.PLATFORM)]


@dataclass
class Demo:
    """``make demo`` in a process group of its own, as a terminal runs it."""

    data_dir: Path
    port: int
    process: subprocess.Popen[bytes]
    output: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def printed(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + 600  # five test processes share two cores
        while "The demo is ready" not in self.printed:
            assert self.process.poll() is None, self.printed
            assert time.monotonic() < deadline, self.printed
            time.sleep(0.05)

    def press_ctrl_c(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(60)

    def processes(self) -> list[int]:
        """Whoever runs with the demo's data directory in its environment."""
        mark = f"DATA_DIR={self.data_dir}\0".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue  # it has just ended, or is somebody else's
        return found


def start(data_dir: Path) -> Demo:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ours = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    output = data_dir.with_name(f"printed-{port}")
    with output.open("wb") as file:
        process = subprocess.Popen(
            ["make", "demo"],
            cwd=ROOT,
            env=ours | {"DATA_DIR": str(data_dir), "PORT": str(port)},
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Demo(data_dir, port, process, output)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """Prepared once, since that takes half a minute of a processor; the test that ends it is the last."""
    demo = start(tmp_path_factory.mktemp("demo") / "data")
    try:
        demo.wait_until_ready()
        yield demo
    finally:
        for pid in demo.processes():
            os.kill(pid, signal.SIGKILL)
        demo.process.wait(10)


def sign_in(browser: Browser, demo: Demo, role: str) -> Page:
    page = browser.new_context(base_url=demo.url, accept_downloads=True, locale="en-GB").new_page()
    page.set_default_timeout(30_000)
    page.goto("/")
    page.get_by_role("button", name=f"Sign in as {role}").click()
    return page


def judge(page: Page, *, completeness: int, why: str) -> None:
    """Answer the question that is shown: correct, completeness, a cited sentence, an explanation."""
    steps = page.locator("fieldset.step")
    steps.nth(0).locator("label.option").first.click()
    steps.nth(1).locator("label.option").nth(completeness).click()
    page.locator("button.sentence").first.click()
    page.locator("textarea").first.fill(why)
    page.locator("#submit").click()


def reload_until_visible(page: Page, text: str) -> None:
    deadline = time.monotonic() + 300
    while not page.get_by_text(text).is_visible():
        assert time.monotonic() < deadline, page.inner_text("main")
        time.sleep(0.3)
        page.reload()


def test_a_stranger_goes_round_the_whole_loop(demo: Demo, browser: Browser, tmp_path: Path) -> None:
    annotator = sign_in(browser, demo, "annotator")
    town_and_tide = annotator.get_by_role("listitem").filter(has_text="Town and tide")
    town_and_tide.get_by_role("button", name="Start the next task").click()
    annotator.get_by_role("link", name="To the questions").click()
    whys = ["Every part of the question is answered, from sentence 1.", "It names the cause but not what came of it."]
    for number, why in enumerate(whys, start=1):
        expect(annotator.get_by_text(re.compile(rf"Question {number} of \d"))).to_be_visible()
        judge(annotator, completeness=number - 1, why=why)
    expect(annotator.get_by_text(re.compile(r"Question 3 of \d"))).to_be_visible()

    researcher = sign_in(browser, demo, "researcher")
    scored = researcher.get_by_text("scored", exact=True)
    expect(scored).to_have_count(1)  # the sample's first batch
    researcher.get_by_role("button", name="Close it").click()
    researcher.get_by_role("button", name=re.compile("^Close Batch . now")).click()
    expect(scored).to_be_visible(timeout=120_000)  # the page asks by itself; the worker may still explore the samples
    researcher.goto("/studies/town-and-tide/agreement/")
    reload_until_visible(researcher, "Batches 1, 2")

    admin = sign_in(browser, demo, "admin")
    admin.get_by_role("link", name="Exports").click()
    admin.locator("#make-csv").click()
    with admin.expect_download() as download:
        admin.get_by_role("link", name=re.compile("^Download")).click()
    download.value.save_as(tmp_path / "export.csv")
    text = (tmp_path / "export.csv").read_text(encoding="utf-8")
    mine = [row for row in csv.DictReader(io.StringIO(text)) if row["annotator"] == "Demo annotator"]
    assert [row["reasons"] for row in mine] == whys
    assert all(0 <= float(row["completeness_distilled_score"]) <= 100 for row in mine)
    assert "demo.example" not in text


def test_ctrl_c_leaves_no_process_and_a_second_run_takes_up_where_the_first_left_off(demo: Demo) -> None:
    assert len(demo.processes()) >= 4  # make, supervisor, web server, worker
    demo.press_ctrl_c()
    assert demo.processes() == []
    assert "Everything has stopped" in demo.printed

    again = start(demo.data_dir)
    try:
        again.wait_until_ready()
        assert "Loading the sample study" not in again.printed
        connection = http.client.HTTPConnection("127.0.0.1", again.port, timeout=60)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        connection.close()
    finally:
        again.press_ctrl_c()
    assert again.processes() == []
