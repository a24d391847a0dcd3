"""Saving what a score was about as a dataset item."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods

from studio.accounts import audit
from studio.datasets.forms import SaveItemForm
from studio.datasets.save import DatasetRefused
from studio.datasets.saving import save_as_item
from studio.scorers.models import Score
from studio.scorers.proposal import proposal_of
from studio.scorers.views import score_url, scorer_or_404
from studio.web.access import project_page
from studio.web.http import Request, render_page


@project_page(read="editor")
@require_http_methods(["GET", "HEAD", "POST"])
def save_item(request: Request, slug: str, pk: int) -> HttpResponse:
    """A dataset item proposed from a score, to be changed and saved."""
    scorer = scorer_or_404(request, slug)
    score = get_object_or_404(Score.objects.select_related("trace", "scorer"), scorer=scorer, pk=pk)
    data = request.POST if request.method == "POST" else None
    form = SaveItemForm(request.project, proposal_of(score), data)
    if form.is_bound and form.is_valid():
        try:
            return saved(request, form, score)
        except DatasetRefused as error:
            form.add_error(None, str(error))
    context = {
        "nav": "scorers",
        "scorer": scorer,
        "score": score,
        "form": form,
        "action": request.path,
        "back": score_url(request, slug, pk),
    }
    status = 422 if form.is_bound else 200
    return render_page(request, "scorers/save_item.html", context=context, status=status)


def saved(request: Request, form: SaveItemForm, score: Score) -> HttpResponse:
    """Save the item and go back to the score."""
    said = form.cleaned_data
    item = save_as_item(
        request.project,
        form.draft(),
        request.user,
        dataset=said["dataset"],
        new_dataset=said["new_dataset"],
    )
    audit.record("save item", actor=request.user, project=request.project, target=item)
    messages.success(request, f"Saved to {item.dataset.name}.")
    return redirect("datasets:item", request.project.slug, item.dataset.slug, item.item_id)
