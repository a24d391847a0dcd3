"""Find the Python agents again, in all projects."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from studio.accounts.models import Project
from studio.agents.errors import AgentUnavailable
from studio.agents.register import register_agents


class Command(BaseCommand):
    """`manage.py register_agents`: what STUDIO_AGENTS offers becomes agents and versions."""

    help = "Register the Python agents of STUDIO_AGENTS, with a new version where one changed."

    def handle(self, *args: Any, **options: Any) -> None:
        """Each project gets the same agents."""
        for project in Project.objects.order_by("pk"):
            self.register(project)

    def register(self, project: Project) -> None:
        """One project's agents; a module that cannot be loaded is a word, not the end."""
        try:
            for agent in register_agents(project):
                self.stdout.write(f"{project.slug}: {agent.name} {agent.current}")
        except AgentUnavailable as error:
            self.stderr.write(f"STUDIO_AGENTS: {error}")
