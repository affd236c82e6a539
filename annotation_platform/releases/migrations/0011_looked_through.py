from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("releases", "0010_participants")]

    operations = [
        migrations.AddField("release", "looked_through", models.JSONField(blank=True, default=dict, editable=False, help_text="Digests of what was looked through then.")),
        migrations.AlterField("release", "embargo_until", models.DateField(blank=True, help_text="Day of UTC before which no link lets in.", null=True)),
        migrations.AlterField("release", "facts", models.JSONField(blank=True, default=dict, editable=False, help_text="What its words say of the study, as last looked through.")),
    ]
