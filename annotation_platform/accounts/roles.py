"""Who somebody is in a study. Memberships, which say in which one, are rows of ``studies``, an app above."""

from django.db import models
from django.utils.translation import gettext_lazy


class Role(models.TextChoices):
    ANNOTATOR = "annotator", gettext_lazy("Annotator")
    RESEARCHER = "researcher", gettext_lazy("Researcher")
    ADMIN = "admin", gettext_lazy("Admin")
