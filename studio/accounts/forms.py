"""What people may enter about their account and project."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import forms
from django.contrib.auth.models import User
from django.utils import timezone

from studio.accounts.models import Project, Role, Scope


class TokenForm(forms.Form):
    """A new API token."""

    name = forms.CharField(max_length=80, help_text="Where it is used, for example: CI.")
    scope = forms.ChoiceField(
        choices=[
            (Scope.READ, "read: see everything in this project"),
            (Scope.WRITE, "write: read, launch, import and change"),
            (Scope.INGEST, "ingest: send traces only"),
        ]
    )
    days = forms.IntegerField(
        min_value=1, max_value=3650, required=False, label="Valid for (days)",
        help_text="Empty: until it is revoked.",
    )  # fmt: skip

    def expires_at(self) -> datetime | None:
        """When it ends, or None."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=days) if days else None


class MemberForm(forms.Form):
    """Somebody who has an account, and what they may do here."""

    username = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=Role.choices)

    def clean_username(self) -> User:
        """The person of that name."""
        user = User.objects.filter(username=self.cleaned_data["username"]).first()
        if user is None:
            raise forms.ValidationError("Nobody has an account of that name.")
        return user


class NewProjectForm(forms.ModelForm):  # type: ignore[type-arg] # not generic at run time
    """A new project."""

    class Meta:
        model = Project
        fields = ("name", "slug")
        help_texts = {"slug": "The part of its addresses: small letters, digits and hyphens."}
