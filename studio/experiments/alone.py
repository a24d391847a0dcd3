"""Trials that lost a lease run in a process of their own, so that a deadly one kills only that."""

from __future__ import annotations

import logging
import subprocess
import sys
from uuid import uuid4

from django.conf import settings

from studio.experiments.models import Trial
from studio.web import claims
from studio.web.claims import SUSPECT

logger = logging.getLogger(__name__)
LOOK_S = 0.5


def run_suspects(experiment_id: int) -> None:
    """Start child processes for the suspects of an experiment until none is due."""
    trials = Trial.objects.filter(experiment_id=experiment_id)
    while not claims.STOPPING.is_set():
        ready = claims.worn_out(trials).values("pk")
        if not trials.filter(SUSPECT).exclude(pk__in=ready).exists():
            return
        if not run_child(experiment_id):
            return


def run_child(experiment_id: int) -> bool:
    """One child that runs suspects one after the other; False when it had to be stopped."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "work_alone"]
    owner = uuid4().hex
    child = subprocess.Popen([*command, str(experiment_id), owner])
    while child.poll() is None:
        if claims.STOPPING.wait(LOOK_S):
            child.terminate()
            child.wait()
            return False
    if child.returncode:
        logger.warning("a trial of experiment %s killed its process", experiment_id)
        claims.expire(Trial.objects.all(), owner)
    return True
