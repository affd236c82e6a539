"""``manage.py makemessages``: Django's, which also finds the sentences of ``core.reasons`` that depend on a number."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=ngettext_noop:1,2"]
