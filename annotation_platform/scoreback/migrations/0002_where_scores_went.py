from typing import Any

from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def where_they_go_now(apps: Any, schema_editor: Any) -> None:
    """Of what was sent before nothing better is known than where its destination leads now."""
    destinations = apps.get_model("scoreback", "ScoreDestination").objects.filter(pk=OuterRef("destination"))
    apps.get_model("scoreback", "SentScore").objects.update(
        address=Subquery(destinations.values("address")), public_key=Subquery(destinations.values("public_key"))
    )


class Migration(migrations.Migration):

    dependencies = [
        ("scoreback", "0001_first"),
    ]

    operations = [
        migrations.AddField(
            model_name="sentscore",
            name="address",
            field=models.CharField(blank=True, db_default="", default="", help_text="Where it went.", max_length=500),
        ),
        migrations.AddField(
            model_name="sentscore",
            name="public_key",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="The account that it went to.", max_length=200
            ),
        ),
        migrations.RunPython(where_they_go_now, migrations.RunPython.noop),
    ]
