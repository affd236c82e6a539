"""Reading a marketplace's file of results: one row for each assignment, Input.* and Answer.* columns beside it."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason

NEEDED = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus")
TIMES = ("AcceptTime", "SubmitTime", "ApprovalTime", "RejectionTime")
TAKEN = (*NEEDED, *TIMES, "WorkTimeInSeconds", "RequesterFeedback")
STATES = ("Approved", "Rejected", "Submitted")
INPUT, ANSWER, JSON_ANSWERS = "Input.", "Answer.", "Answer.taskAnswers"
ZONES = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}
WRITTEN_TIME = re.compile(r"\w{3} (\w{3} \d{1,2} \d{2}:\d{2}:\d{2}) (\w{3,4}) (\d{4})")
LONGEST_NAME, LONGEST_CELL, MOST_MISTAKES = 64, 1_000_000, 50


@dataclass(frozen=True)
class Assignment:
    """One row."""

    line: int
    task: str
    name: str
    worker: str
    status: str
    seconds: float | None
    times: Mapping[str, datetime | None]
    feedback: str
    inputs: Mapping[str, str]
    answers: Mapping[str, str]

    @property
    def decided_at(self) -> datetime | None:
        return self.times["RejectionTime"] if self.status == "Rejected" else self.times["ApprovalTime"]


@dataclass
class Results:
    """A file, read whole: its rows, what is wrong with others, and its columns that nothing is done with."""

    assignments: list[Assignment] = field(default_factory=list)
    mistakes: list[Reason] = field(default_factory=list)
    mistake_count: int = 0
    unused: list[str] = field(default_factory=list)

    def add_mistake(self, code: str, /, **parameters: object) -> None:
        self.mistake_count += 1
        if len(self.mistakes) < MOST_MISTAKES:
            self.mistakes.append(Reason(code, **parameters))


def read_results(content: bytes) -> Results:
    """
    Raises
    ------
    InvalidInputError
        When it is no such file, or some rows are wrong; ``reasons`` has one line for each of the first ones.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError("crowd.results_not_csv", why=str(error)) from None
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    results = Results()
    try:
        header = [name.strip().replace("\x00", "") for name in next(reader, [])]
        _check(header, results)
        first: dict[str, int] = {}
        line = reader.line_num + 1
        for cells in reader:
            if any(cells):
                _row(header, cells, line, first, results)
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInputError("crowd.results_not_csv", why=f"{error} ({reader.line_num})") from None
    if results.mistakes:
        raise InvalidInputError("crowd.results_wrong", results.mistakes, count=results.mistake_count)
    if not results.assignments:
        raise InvalidInputError("crowd.results_no_rows")
    return results


def unfolded(assignment: Assignment, numbers: list[str]) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Inputs and answers of each question of a row: those with its number, and those that all of them share."""
    if not numbers:
        yield dict(assignment.inputs), dict(assignment.answers)
        return
    for number in numbers:
        inputs, has_input = _of_number(assignment.inputs, number, numbers)
        answers, has_answer = _of_number(assignment.answers, number, numbers)
        if has_input or has_answer:
            yield inputs, answers


def numbers_of(results: Results) -> list[str]:
    """The numbers by which a row's questions and answers are told apart; empty where a row is one question.

    They are those that end the names of both inputs and answers, two at least.
    """
    inputs = {number for one in results.assignments[:1] for name in one.inputs if (number := _split(name)[1])}
    answers = {number for one in results.assignments for name in one.answers if (number := _split(name)[1])}
    shared = sorted(inputs & answers, key=int)
    return shared if len(shared) > 1 else []


def _check(header: list[str], results: Results) -> None:
    if missing := [name for name in NEEDED if name not in header]:
        raise InvalidInputError("crowd.results_no_columns", missing=missing)
    if twice := [name for name, count in Counter(filter(None, header)).items() if count > 1]:
        raise InvalidInputError("crowd.results_not_csv", why=", ".join(twice))
    results.unused = [name for name in header if name and name not in TAKEN and not name.startswith((INPUT, ANSWER))]


def _row(header: list[str], cells: list[str], line: int, first: dict[str, int], results: Results) -> None:
    if len(cells) != len(header):
        results.add_mistake("crowd.results_row_cells", line=line, cells=len(cells), columns=len(header))
        return
    row = {name: cell.strip().replace("\x00", "") for name, cell in zip(header, cells, strict=True)}
    before = results.mistake_count
    for name in NEEDED:
        if not row[name] or len(row[name]) > LONGEST_NAME:
            results.add_mistake("crowd.results_row_missing", line=line, column=name)
    if row["AssignmentStatus"] and row["AssignmentStatus"] not in STATES:
        results.add_mistake("crowd.results_row_status", line=line, status=row["AssignmentStatus"][:40])
    times = {name: _time(row.get(name, ""), name, line, results) for name in TIMES}
    seconds = _seconds(row.get("WorkTimeInSeconds", ""), line, results)
    answers = _answers(row, line, results)
    name = row["AssignmentId"]
    if name in first:
        results.add_mistake("crowd.results_row_twice", line=line, assignment=name, first=first[name])
    first.setdefault(name, line)
    if results.mistake_count > before:
        return
    results.assignments.append(
        Assignment(
            line=line,
            task=row["HITId"],
            name=name,
            worker=row["WorkerId"],
            status=row["AssignmentStatus"],
            seconds=seconds,
            times=times,
            feedback=row.get("RequesterFeedback", ""),
            inputs={each.removeprefix(INPUT): value for each, value in row.items() if each.startswith(INPUT)},
            answers=answers,
        )
    )


def _time(written: str, column: str, line: int, results: Results) -> datetime | None:
    """A time as the marketplace writes it (``Wed Oct 05 12:29:04 PDT 2022``), or in ISO 8601; UTC without a zone."""
    if not written:
        return None
    try:
        if found := WRITTEN_TIME.fullmatch(written):
            zone = timezone(timedelta(hours=ZONES[found[2]]))
            return datetime.strptime(f"{found[1]} {found[3]}", "%b %d %H:%M:%S %Y").replace(tzinfo=zone)
        moment = datetime.fromisoformat(written)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, KeyError):
        results.add_mistake("crowd.results_row_time", line=line, column=column, value=written[:40])
        return None


def _seconds(written: str, line: int, results: Results) -> float | None:
    if not written:
        return None
    try:
        seconds = float(written)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e8:
        results.add_mistake("crowd.results_row_seconds", line=line, value=written[:40])
        return None
    return seconds


def _answers(row: Mapping[str, str], line: int, results: Results) -> dict[str, str]:
    """The answers by name; of radio buttons, which have a column for each choice, the one that is true."""
    said = {name.removeprefix(ANSWER): value for name, value in row.items() if name.startswith(ANSWER)}
    if (written := said.pop(JSON_ANSWERS.removeprefix(ANSWER), "")) and not _open_json(written, said):
        results.add_mistake("crowd.results_row_answers", line=line, column=JSON_ANSWERS)
    answers: dict[str, str] = {}
    for name, value in said.items():
        stem, dot, choice = name.rpartition(".")
        if dot and value.lower() in ("true", "false", ""):
            answers.setdefault(stem, "")
            if value.lower() == "true":
                answers[stem] = f"{answers[stem]}|{choice}" if answers[stem] else choice
        else:
            answers[name] = value
    return answers


def _open_json(written: str, said: dict[str, str]) -> bool:
    """Take answers out of the one cell that newer forms of the marketplace keep them in."""
    try:
        forms = json.loads(written)
    except (ValueError, RecursionError):
        return False
    for form in forms if isinstance(forms, list) else [forms]:
        if not isinstance(form, dict):
            return False
        for name, value in form.items():
            if isinstance(value, dict):
                said |= {f"{name}.{choice}": str(is_chosen) for choice, is_chosen in value.items()}
            else:
                said[name] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return True


def _split(name: str) -> tuple[str, str]:
    found = re.fullmatch(r"(.*?[^\d])[._-]?(\d{1,3})", name)
    return (found[1].rstrip("._-"), found[2]) if found else (name, "")


def _of_number(values: Mapping[str, str], number: str, numbers: list[str]) -> tuple[dict[str, str], bool]:
    found: dict[str, str] = {}
    has_any = False
    for name, value in values.items():
        stem, its = _split(name)
        if its == number:
            found[stem] = value
            has_any = has_any or bool(value)
        elif its not in numbers:
            found[name] = value
    return found, has_any
