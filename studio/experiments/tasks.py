"""What Celery calls: each task is one call of one verb."""

from celery import shared_task

from studio.experiments import reconcile as reconciling
from studio.experiments import run


@shared_task
def work(experiment_id: int) -> None:
    """Take and run due trials of one experiment."""
    run.work_on(experiment_id)


@shared_task
def reconcile() -> None:
    """Wake workers for what is due, end what is over."""
    reconciling.reconcile()
