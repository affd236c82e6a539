"""The agreement dashboards and the explorer, under the address of their study."""

from django.urls import path, re_path

from annotation_platform.analysis.explorer import page as items
from annotation_platform.analysis.paper import page as bundle
from annotation_platform.analysis.sections.agreement import page as agreement
from annotation_platform.analysis.sections.equivalence import page as verdicts
from annotation_platform.analysis.sections.history import page as snapshots
from annotation_platform.analysis.sections.human_llm import page as human_llm
from annotation_platform.analysis.sections.raters_needed import page as number_of_raters
from annotation_platform.analysis.sections.sentences import page as sentences
from annotation_platform.analysis.sections.variants import page as variants

urlpatterns = [
    path("agreement/", agreement.agreement, name="agreement"),
    path("agreement/annotators/", agreement.annotators, name="agreement_annotators"),
    path("agreement/annotators/<int:pk>/", agreement.annotator, name="agreement_annotator"),
    path("agreement/pairs/", agreement.pairs, name="agreement_pairs"),
    path("agreement/systems/", agreement.systems, name="agreement_systems"),
    path("agreement/sentences/", sentences.sentences, name="agreement_sentences"),
    path("agreement/raters/", number_of_raters.number_of_raters, name="agreement_raters"),
    path("agreement/human-llm/", human_llm.human_llm, name="agreement_human_llm"),
    path("agreement/variants/", variants.variants, name="agreement_variants"),
    path("agreement/equivalence/", verdicts.equivalence, name="agreement_equivalence"),
    path("agreement/rationales/", verdicts.rationales, name="agreement_rationales"),
    path("agreement/paper/", bundle.paper, name="agreement_paper"),
    path("agreement/paper/make/", bundle.request_bundle, name="request_bundle"),
    path("agreement/paper/<int:pk>/", bundle.download_bundle, name="download_bundle"),
    path("agreement/snapshots/", snapshots.snapshots, name="agreement_snapshots"),
    path("agreement/snapshots/compare/", snapshots.compare_snapshots, name="compare_snapshots"),
    path("agreement/refresh/", agreement.refresh_agreement, name="refresh_agreement"),
    re_path(
        r"^agreement/(?P<aspect>[a-z0-9_]+)/(?P<name>[a-z-]+)\.(?P<kind>json|svg|png|csv)$",
        agreement.chart,
        name="chart",
    ),
    path("items/", items.items, name="items"),
    path("items/<int:pk>/", items.item, name="item"),
]
