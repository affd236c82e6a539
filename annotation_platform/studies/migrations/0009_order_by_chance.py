"""What comes next by chance is an order that was drawn before, which an index gives, not a choice among all tasks."""

from django.db import migrations, models
from django.db.models.functions import Random

from annotation_platform.core.allocation import turn_by_chance


def draw_turns(apps, schema_editor) -> None:
    """Tasks that are there get a turn each; a column's default is worked out once for all of them."""
    apps.get_model("studies", "Hit").objects.update(turn=Random())


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0001_squashed"),
        ("studies", "0008_fair_shares_and_mirrors"),
    ]

    operations = [
        migrations.RemoveField(model_name="assignment", name="chance"),
        migrations.AddField(
            model_name="hit",
            name="turn",
            field=models.FloatField(
                default=turn_by_chance,
                editable=False,
                help_text="By chance: the order in which tasks come, where chance decides.",
            ),
        ),
        migrations.AddIndex(
            model_name="hit",
            index=models.Index(fields=["batch", "turn"], name="hit_by_turn"),
        ),
        migrations.RunPython(draw_turns, migrations.RunPython.noop, elidable=True),
        migrations.AlterField(
            model_name="study",
            name="assignment_policy",
            field=models.CharField(
                choices=[
                    ("in_order", "Depth first: each task is finished before the next is begun"),
                    ("breadth_first", "Breadth first: all tasks once before any twice"),
                    ("balanced", "Balanced: those whose systems the person has judged least"),
                    ("even", "Balanced, and nobody gets far more than the others who are at work"),
                    ("sampled", "By chance: what is judged when a batch closes early is a random part of it"),
                ],
                default="in_order",
                max_length=20,
            ),
        ),
    ]
