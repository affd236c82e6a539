"""What a study has that would go with it, in numbers."""

from django.db.models import Q
from django.utils.translation import gettext as _

from annotation_platform.annotations.models import Annotation, Draft, Message
from annotation_platform.studies.models import Assignment, Role, Study


def what_goes(study: Study) -> list[tuple[str, int]]:
    """What is deleted with a study, kind by kind; kinds of which there is nothing are left out."""
    judgments = Annotation.given.filter(item__study=study)
    exports, bundles = study.exports.all(), study.paper_bundles.all()
    counts = {
        _("batches"): study.batches.count(),
        _("judgments"): judgments.current().count(),
        _("earlier revisions of judgments"): judgments.filter(is_current=False).count(),
        _("annotators"): study.members.filter(role=Role.ANNOTATOR).count(),
        _("people at work now"): Assignment.objects.at_work().filter(hit__batch__study=study).count(),
        _("drafts"): Draft.objects.filter(item__study=study).count(),
        _("messages"): Message.objects.filter(author__study=study).count(),
        _("scoring runs with their scores"): study.scoring_runs.count(),
        _("scoring runs under way"): study.scoring_runs.filter(Q(status="pending") | Q(status="running")).count(),
        _("sets of figures"): study.snapshots.count(),
        _("exports and archives for papers, with their files"): exports.count() + bundles.count(),
    }
    return [(kind, count) for kind, count in counts.items() if count]
