"""Each former secret signs until a time of its own; so far all of an endpoint had the time of the last one."""

import django.db.models.deletion
from django.db import migrations, models
from django.utils import timezone


def keep_apart(apps, schema_editor):
    Endpoint, FormerSecret = (apps.get_model("webhooks", name) for name in ("Endpoint", "FormerSecret"))
    FormerSecret.objects.bulk_create(
        FormerSecret(endpoint=endpoint, encrypted_secret=secret, signs_until=endpoint.former_until)
        for endpoint in Endpoint.objects.exclude(former_until=None)
        for secret in endpoint.encrypted_former_secret.split()
    )


def put_together(apps, schema_editor):
    for endpoint in apps.get_model("webhooks", "Endpoint").objects.all():
        in_force = endpoint.former_secrets.filter(signs_until__gt=timezone.now())  # none signs anew by the way back
        former = list(in_force.order_by("signs_until", "pk"))
        endpoint.encrypted_former_secret = "\n".join(each.encrypted_secret for each in former)
        endpoint.former_until = former[-1].signs_until if former else None
        endpoint.save(update_fields=["encrypted_former_secret", "former_until"])


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_first")]

    operations = [
        migrations.CreateModel(
            name="FormerSecret",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("encrypted_secret", models.TextField()),
                ("signs_until", models.DateTimeField()),
                (
                    "endpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_secrets",
                        to="webhooks.endpoint",
                    ),
                ),
            ],
            options={"ordering": ["-signs_until", "-pk"]},
        ),
        migrations.RunPython(keep_apart, put_together),
        migrations.RemoveField(model_name="endpoint", name="encrypted_former_secret"),
        migrations.RemoveField(model_name="endpoint", name="former_until"),
    ]
