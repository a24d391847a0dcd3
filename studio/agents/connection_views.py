"""Pages of connections: where models live."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import RestrictedError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from studio.accounts.audit import record
from studio.agents.connections import save_connection
from studio.agents.errors import ConnectionRefused
from studio.agents.forms import ConnectionForm
from studio.agents.models import ProviderConnection
from studio.agents.queries import connections_of
from studio.agents.views import crumbs
from studio.web.access import may, project_page
from studio.web.http import Request, render_page


@project_page
@require_safe
def connection_list(request: Request) -> HttpResponse:
    """All connections by name; a key is shown by its end only."""
    context = {
        "nav": "agents",
        "connections": list(connections_of(request.project)),
        "may_write": may(request.member, "editor"),
        "crumbs": crumbs(request, "Connections"),
    }
    return render_page(request, "agents/connections.html", context=context)


@project_page(read="editor")
@require_http_methods(["GET", "HEAD", "POST"])
def connection_create(request: Request) -> HttpResponse:
    """A new connection."""
    return connection_form(request, None)


@project_page(read="editor")
@require_http_methods(["GET", "HEAD", "POST"])
def connection_edit(request: Request, pk: int) -> HttpResponse:
    """Change a connection; another address needs its key again."""
    connection = get_object_or_404(ProviderConnection, project=request.project, pk=pk)
    return connection_form(request, connection)


def connection_form(request: Request, connection: ProviderConnection | None) -> HttpResponse:
    """Show and take the form."""
    known = connection or ProviderConnection()
    initial = {"name": known.name, "base_url": known.base_url}
    form = ConnectionForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            saved = save_connection(request.project, form.draft(), connection, request.user)
        except ConnectionRefused as error:
            form.add_error(None, str(error))
        else:
            record("connection saved", actor=request.user, project=request.project, target=saved)
            messages.success(request, f"{saved.name} is saved.")
            return redirect("agents:connections", request.project.slug)
    title = f"Edit {connection.name}" if connection else "New connection"
    context = {
        "nav": "agents", "form": form, "title": title, "connection": connection,
        "crumbs": crumbs(request, title),
    }  # fmt: skip
    status = 422 if form.is_bound else 200
    return render_page(request, "agents/connection_form.html", context=context, status=status)


@project_page
@require_POST
def connection_delete(request: Request, pk: int) -> HttpResponse:
    """Delete a connection that no agent uses."""
    connection = get_object_or_404(ProviderConnection, project=request.project, pk=pk)
    try:
        connection.delete()
    except RestrictedError:
        messages.error(request, f"{connection.name} is used by agents and stays.")
    else:
        record("connection deleted", actor=request.user, project=request.project)
        messages.success(request, f"{connection.name} is deleted.")
    return redirect("agents:connections", request.project.slug)
