"""Everything that writes rounds, by topic."""

from annotation_platform.crowd.rounds.services.attempts import begin_attempt, finish_if_all_is_submitted
from annotation_platform.crowd.rounds.services.keys import import_key, set_key
from annotation_platform.crowd.rounds.services.migrating import carry_keys
from annotation_platform.crowd.rounds.services.running import (
    RoundStateError,
    confirm_proposals,
    end_round,
    open_round,
)
from annotation_platform.crowd.rounds.services.setting_up import (
    RoundSettings,
    adopt_study,
    change_round,
    make_round,
    move_up,
)
from annotation_platform.crowd.rounds.services.verdicts import decide, decide_without_attempt

__all__ = [
    "RoundSettings",
    "RoundStateError",
    "adopt_study",
    "begin_attempt",
    "carry_keys",
    "change_round",
    "confirm_proposals",
    "decide",
    "decide_without_attempt",
    "end_round",
    "finish_if_all_is_submitted",
    "import_key",
    "make_round",
    "move_up",
    "open_round",
    "set_key",
]
