from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0003_indexes_once"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="itemscore", name="item_scores_by_aspect"),
    ]
