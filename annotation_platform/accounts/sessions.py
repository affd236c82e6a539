"""Sessions that are over. Django keeps their rows until somebody removes them."""

from django.contrib.sessions.models import Session
from django.utils import timezone


def forget_old_sessions() -> None:
    """Remove those by which nobody is signed in any more."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
