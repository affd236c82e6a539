"""Making the design of a plan a study's own: overlap, minutes and pay, all of it or nothing."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.crowd.pay.planned import PlannedPay, agree_as_planned
from annotation_platform.studies import services as studies
from annotation_platform.studies.models import Study
from annotation_platform.studies.services.changing import change_study


def use_design(
    *, study: Study, overlap: int, task_minutes: int | None, pay: PlannedPay | None, actor: Actor
) -> studies.OverlapChange:
    """Change what of these is given, each with its event, in the transaction that decides on the overlap.

    Raises
    ------
    InvalidInputError
        When a value cannot be the study's, or annotators were told of more pay; then nothing is changed.
    OpeningRefusedError
        When a rule keeps places from being added, such as the budget by the new pay; then nothing is changed.
    """

    def minutes_and_pay() -> None:
        if task_minutes is not None:
            change_study(study=study, task_minutes=task_minutes, actor=actor)
        if pay is not None:
            agree_as_planned(study=study, pay=pay, actor=actor)

    return studies.change_overlap(study=study, overlap=overlap, actor=actor, and_with_it=minutes_and_pay)
