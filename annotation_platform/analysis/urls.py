"""The researcher's pages, under the address of their study."""

from django.urls import path, re_path

from annotation_platform.analysis.views import (
    agreement,
    batches,
    bundle,
    human_llm,
    items,
    number_of_raters,
    scheme,
    sentences,
    snapshots,
    study,
    variants,
    verdicts,
)

urlpatterns = [
    path("", study.study, name="study"),
    path("scheme/", scheme.edit_scheme, name="edit_scheme"),
    path("score-again/", study.score_again, name="score_again"),
    path("batches/<int:number>/", batches.batch, name="batch"),
    path("batches/<int:number>/open/", batches.open_batch, name="open_batch"),
    path("batches/<int:number>/close/", batches.close_batch, name="close_batch"),
    path("batches/<int:number>/keep-open/", batches.keep_batch_open, name="keep_batch_open"),
    path("batches/<int:number>/reopen/", batches.reopen_batch, name="reopen_batch"),
    path("batches/<int:number>/deadline/", batches.set_deadline, name="set_deadline"),
    path("agreement/", agreement.agreement, name="agreement"),
    path("agreement/annotators/", agreement.annotators, name="agreement_annotators"),
    path("agreement/annotators/<str:name>/", agreement.annotator, name="agreement_annotator"),
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
