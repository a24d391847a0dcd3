"""Fill the first project with the demo, once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from studio.accounts.sign_in import FIRST_PROJECT, local_owner
from studio.demo_project import make_demo


class Command(BaseCommand):
    """`manage.py demo`: two agents, their scorers and datasets, and an experiment each."""

    help = "Fill the first project with the demo, unless it has agents already."

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it once; a second call changes nothing."""
        owner = local_owner()
        slug, _ = FIRST_PROJECT
        project = owner.memberships.select_related("project").get(project__slug=slug).project
        if project.agents.exists():
            self.stdout.write("The demo project is there already.")
            return
        make_demo(project, owner)
        self.stdout.write("The demo project is made; its experiments run as soon as workers do.")
