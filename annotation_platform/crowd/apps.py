from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "annotation_platform.crowd"

    def ready(self) -> None:
        """Topics add their rules, steps, ways back, and what follows a submitted or approved task, here."""
        from annotation_platform.analysis.sections.planning import pay as plans
        from annotation_platform.annotations import scheme_following
        from annotation_platform.annotations.finishing import add_follower
        from annotation_platform.annotations.stops import Stop, add_stop
        from annotation_platform.crowd import endings
        from annotation_platform.crowd.checks.note_page import note_for, note_read
        from annotation_platform.crowd.checks.services import carry_checks, follow_task, mix_before_opening
        from annotation_platform.crowd.consent import rules as consent
        from annotation_platform.crowd.languages import rules as languages
        from annotation_platform.crowd.monitor.pastes import carry_pastes
        from annotation_platform.crowd.pacing.limits import carry_limits
        from annotation_platform.crowd.pay.budget import places_within_budget, within_budget
        from annotation_platform.crowd.pay.by_prolific import settle_paid
        from annotation_platform.crowd.pay.planned import agreed_pay
        from annotation_platform.crowd.pay.services import credit_assignment, take_back
        from annotation_platform.crowd.pay.wording import earned
        from annotation_platform.crowd.providers.prolific import outcomes, visiting, visits
        from annotation_platform.crowd.review.approval import add_approval_follower, add_rejection_follower
        from annotation_platform.crowd.rounds.refusals import qualified, stage
        from annotation_platform.crowd.rounds.services import carry_keys, finish_if_all_is_submitted
        from annotation_platform.studies import opening_rules, parting, preparing, steps
        from annotation_platform.studies.eligibility import add_rule

        add_rule("crowd.consent", consent.consent, in_rounds_too=True)
        add_rule("crowd.languages", languages.languages, in_rounds_too=True)
        add_rule("crowd.rounds", qualified)
        opening_rules.add_rule("crowd.pay", within_budget)
        opening_rules.add_places_rule("crowd.pay", places_within_budget)
        plans.add_agreed("crowd.pay", agreed_pay)
        add_approval_follower("crowd.pay", credit_assignment)
        add_rejection_follower("crowd.pay", take_back)
        add_follower("crowd.rounds", finish_if_all_is_submitted)
        steps.add_step("crowd.consent", consent.page_of_consent)
        steps.add_way_out("crowd.prolific", visiting.way_out)
        endings.add_stage("crowd.consent", consent.stage)
        endings.add_stage("crowd.languages", languages.stage)
        endings.add_stage("crowd.rounds", stage)
        endings.add_earned("crowd.pay", earned)
        outcomes.add_bonus_follower("crowd.pay", settle_paid)
        endings.add_way_back("crowd.prolific", visits.end, visits.way_back_of)
        parting.add_follower("crowd.prolific", visits.leave)
        add_follower("crowd.checks", follow_task)
        scheme_following.add_follower("crowd.checks", carry_checks)
        scheme_following.add_follower("crowd.rounds", carry_keys)
        scheme_following.add_follower("crowd.pacing", carry_limits)
        scheme_following.add_follower("crowd.monitor", carry_pastes)
        preparing.add_preparation("crowd.checks", mix_before_opening)
        add_stop("crowd.checks", Stop(note_for, note_read))
