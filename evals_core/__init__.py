"""Evals Core: score what AI agents do, on its own or under the studio."""

from __future__ import annotations

from evals_core import checks
from evals_core.cases import DuplicateScorer, InvalidData, InvalidScorers, Turn
from evals_core.conversation import ItemResult
from evals_core.experiment import (
    EvalsResult,
    Summary,
    TurnResult,
    means,
    run_evals,
    run_evals_sync,
)
from evals_core.filter_run import filter_run
from evals_core.gate import (
    GateResult,
    InvalidThreshold,
    Threshold,
    ThresholdResult,
    Verdict,
    VerdictReport,
    judge_verdict,
    read_threshold,
)
from evals_core.judge import Judge, PromptStep, delimited
from evals_core.model import Model, ModelReply, ModelRequest, ModelUsage, ScriptedModel
from evals_core.openai_model import OpenAIModel
from evals_core.registry import known_kinds, register, scorer_from_spec
from evals_core.run import ABSENT, Item, Run
from evals_core.scorer import (
    NotScorable,
    Outcome,
    Score,
    ScoreError,
    Scorer,
    StepContext,
    Subject,
    create_scorer,
    not_scorable,
    score_run,
    scorer,
)
from evals_core.span_trajectory import extract_trajectory_from_trace
from evals_core.stats import Mean, PassRate, mean_of, pass_rate
from evals_core.targets import Answer, Target, TargetError, Usage, target_from
from evals_core.trajectory import Trajectory, TrajectoryStep, extract_trajectory
from evals_core.trials import TrialPlan, TrialResult, run_one, run_trials

__all__ = [
    "ABSENT",
    "Answer",
    "DuplicateScorer",
    "EvalsResult",
    "GateResult",
    "InvalidData",
    "InvalidScorers",
    "InvalidThreshold",
    "Item",
    "ItemResult",
    "Judge",
    "Mean",
    "Model",
    "ModelReply",
    "ModelRequest",
    "ModelUsage",
    "NotScorable",
    "OpenAIModel",
    "Outcome",
    "PassRate",
    "PromptStep",
    "Run",
    "Score",
    "ScoreError",
    "Scorer",
    "ScriptedModel",
    "StepContext",
    "Subject",
    "Summary",
    "Target",
    "TargetError",
    "Threshold",
    "ThresholdResult",
    "Trajectory",
    "TrajectoryStep",
    "TrialPlan",
    "TrialResult",
    "Turn",
    "TurnResult",
    "Usage",
    "Verdict",
    "VerdictReport",
    "checks",
    "create_scorer",
    "delimited",
    "extract_trajectory",
    "extract_trajectory_from_trace",
    "filter_run",
    "judge_verdict",
    "known_kinds",
    "mean_of",
    "means",
    "not_scorable",
    "pass_rate",
    "read_threshold",
    "register",
    "run_evals",
    "run_evals_sync",
    "run_one",
    "run_trials",
    "score_run",
    "scorer",
    "scorer_from_spec",
    "target_from",
]
