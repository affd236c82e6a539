"""What researchers are mailed about their study's webhooks, in their language."""

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from annotation_platform.accounts.language import in_language
from annotation_platform.studies.models import Member, Role
from annotation_platform.webhooks.models import Endpoint


def mail_of_switching_off(endpoint: Endpoint) -> None:
    """Tell all researchers and admins of the study that nothing is sent any more, why, and where that is mended."""
    study = endpoint.study
    link = settings.PLATFORM_URL + reverse("study_webhook", args=[study.slug, endpoint.pk])
    name = " ".join(study.name.split())
    for member in Member.objects.filter(study=study, user__is_active=True, removed_at=None).select_related("user"):
        user = member.user
        if user is None or user.is_guest or member.role == Role.ANNOTATOR:
            continue
        with translation.override(user.language or settings.LANGUAGE_CODE):
            subject = _("A webhook of “{study}” was switched off").format(study=name)
            body = _("Nothing is sent to {endpoint} any more. {because}").format(
                endpoint=endpoint, because=in_language(endpoint.switched_off_because)
            )
            EmailMessage(subject, f"{body}\n\n{link}", to=[user.email]).send()
