"""Storing what was sent of a study's settings, each by the service of its page."""

from typing import Any

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies import services
from annotation_platform.studies.models import AssignmentPolicy, Study

PLAIN = ("about", "task_minutes", "pay", "gives_hints", "annotators_are")


@transaction.atomic
def change_settings(*, study: Study, sent: dict[str, Any], actor: Actor) -> None:
    """All of it or nothing.

    Raises
    ------
    InvalidInputError
        When a name is taken or a number cannot be.
    """
    if "name" in sent:
        services.rename_study(study=study, name=sent["name"], actor=actor)
    if "time_limit_minutes" in sent:
        services.change_time_limit(study=study, minutes=sent["time_limit_minutes"], actor=actor)
    if sent.keys() & {"most_extensions", "extension_percent"}:
        services.set_extensions(
            study=study,
            most=sent.get("most_extensions", study.most_extensions),
            percent=sent.get("extension_percent", study.extension_percent),
            actor=actor,
        )
    if sent.keys() & {"assignment_policy", "most_tasks", "most_tasks_a_day"}:
        services.set_limits(
            study=study,
            policy=AssignmentPolicy(sent.get("assignment_policy", study.assignment_policy)),
            most_tasks=sent.get("most_tasks", study.most_tasks),
            most_tasks_a_day=sent.get("most_tasks_a_day", study.most_tasks_a_day),
            actor=actor,
        )
    if sent.keys() & {"judged_at_random", "scored_at_random"}:
        services.declare_random_parts(
            study=study,
            judged=sent.get("judged_at_random", study.judged_at_random),
            scored=sent.get("scored_at_random", study.scored_at_random),
            actor=actor,
        )
    if plain := {field: sent[field] for field in PLAIN if field in sent}:
        services.change_study(study=study, actor=actor, **plain)
    if "overlap" in sent:
        services.change_overlap(study=study, overlap=sent["overlap"], actor=actor)
