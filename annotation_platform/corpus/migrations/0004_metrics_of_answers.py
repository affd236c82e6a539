from typing import Any

from django.db import migrations, models
from django.db.models import F

ROWS_AT_ONCE = 1_000


def move(apps: Any, schema_editor: Any) -> None:
    """What was kept with the trace of an answer is kept with the answer, by the format that it came with."""
    answer_trace, answer = apps.get_model("corpus", "AnswerTrace"), apps.get_model("corpus", "Answer")
    waiting: list[Any] = []
    for trace in answer_trace.objects.exclude(scores={}).iterator(ROWS_AT_ONCE):
        waiting.append(answer(pk=trace.answer_id, metrics={trace.tool: trace.scores}))
        if len(waiting) == ROWS_AT_ONCE:
            answer.objects.bulk_update(waiting, ["metrics"])
            waiting = []
    answer.objects.bulk_update(waiting, ["metrics"])
    told = answer.objects.filter(metrics__isnull=False).annotate(corpus=F("question__article__corpus"))
    apps.get_model("corpus", "Corpus").objects.filter(pk__in=told.values("corpus")).update(has_metrics=True)


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0003_where_answers_were_recorded"),
    ]

    operations = [
        migrations.AddField(
            model_name="answer",
            name="metrics",
            field=models.JSONField(
                blank=True,
                help_text="What automatic metrics said of it elsewhere: format of the file, name, value.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="corpus",
            name="has_metrics",
            field=models.BooleanField(default=False, help_text="Whether some answers came with automatic metrics."),
        ),
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.RemoveField(
            model_name="answertrace",
            name="scores",
        ),
    ]
