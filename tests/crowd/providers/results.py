"""Files of results as a marketplace writes them."""

import csv
import io

TEXT = "Rain fell all day. The river rose. Nobody was hurt."


def row(n: int, worker: str = "AWORKER1", **changed: str) -> dict[str, str]:
    """An assignment with two questions about one document, as the papers' tasks were."""
    return {
        "HITId": "3HIT1",
        "Title": "Judge answers",
        "Reward": "$2.50",
        "AssignmentId": f"3ASSIGN{n}",
        "WorkerId": worker,
        "AssignmentStatus": "Approved",
        "AcceptTime": "Wed Oct 05 12:00:00 PDT 2022",
        "SubmitTime": "Wed Oct 05 12:10:00 PDT 2022",
        "ApprovalTime": "Thu Oct 06 09:00:00 PDT 2022",
        "RejectionTime": "",
        "RequesterFeedback": "",
        "WorkTimeInSeconds": "600",
        "Input.article": TEXT,
        "Input.question1": "What fell?",
        "Input.answer1": "Rain.",
        "Input.question2": "Who was hurt?",
        "Input.answer2": "The mayor.",
        "Answer.correct1": "yes",
        "Answer.completeness1": "complete",
        "Answer.sentences1": "1",
        "Answer.reasons1": "Sentence 1 says that rain fell.",
        "Answer.correct2": "no",
        "Answer.completeness2": "missing_all",
        "Answer.sentences2": "3",
        "Answer.reasons2": "Sentence 3 says that nobody was.",
    } | changed


def as_csv(*rows: dict[str, str]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()
