"""Make an API token for scripts on this machine."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from studio.accounts.audit import record
from studio.accounts.models import Project, Scope
from studio.accounts.sign_in import FIRST_PROJECT, local_owner
from studio.accounts.tokens import make_token


class Command(BaseCommand):
    """`manage.py token`: print a new token of the local owner."""

    help = "Print a new API token of the local owner; it is shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What the token is for."""
        parser.add_argument("--data", help="the data folder (read before Django starts)")
        parser.add_argument("--project", default=FIRST_PROJECT[0])
        parser.add_argument("--scope", choices=Scope.values, default=Scope.WRITE)
        parser.add_argument("--name", default="command line")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it and print nothing else."""
        owner = local_owner()
        project = Project.objects.filter(slug=options["project"], members__user=owner).first()
        if project is None:
            raise CommandError(f"The local owner has no project {options['project']}.")
        token, text = make_token(project, owner, options["name"], options["scope"])
        record("create token", actor=owner, project=project, target=token)
        self.stdout.write(text)
