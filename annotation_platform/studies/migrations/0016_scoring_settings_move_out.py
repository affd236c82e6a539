from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("scoring", "0025_scoring_settings"),
        ("studies", "0015_migrations_of_schemes_are_jobs"),
    ]

    operations = [
        migrations.RemoveField(model_name="study", name=name)
        for name in ("scorer", "prompt_template", "scoring_connection", "scoring_budget")
    ]
