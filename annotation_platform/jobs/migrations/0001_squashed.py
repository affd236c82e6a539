import annotation_platform.accounts.reason_fields
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database that has all of these needs nothing; they can go from here with the first release.
    replaces = [
        ('jobs', '0001_outgoing_mail'),
        ('jobs', '0002_worker_pulse'),
        ('jobs', '0003_mail_errors_are_codes'),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='WorkerPulse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, unique=True)),
                ('seen_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='OutgoingMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('sent', 'Sent'), ('given up', 'Given Up')], default='waiting', max_length=10)),
                ('recipients', models.JSONField()),
                ('subject', models.TextField()),
                ('content', models.JSONField(help_text='What it takes to build the mail again; empty once it is not needed.')),
                ('claim', models.CharField(blank=True, max_length=20)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error', annotation_platform.accounts.reason_fields.ReasonField(blank=True, help_text='Why the last attempt failed.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('due_at', models.DateTimeField()),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'outgoing mail',
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['state', 'due_at'], name='mail_by_state')],
            },
        ),
    ]
