"""The panel of one score: everything behind it, and its neighbours in the list."""

from __future__ import annotations

import pytest
from django.test import Client

from studio.agents.models import Agent
from studio.scorers.models import Score, Scorer, ScorerAttachment
from studio.scorers.save import save_check
from tests.studio.scorers.conftest import MakeScore

pytestmark = pytest.mark.django_db
PAGE = "/p/demo/scorers/says-sunny/"
PART = {"HX-Request": "true"}


def panel(client: Client, score: Score, query: str = "") -> str:
    """The panel's HTML."""
    url = f"/p/demo/scorers/{score.scorer.slug}/scores/{score.pk}/{query}"
    response = client.get(url, headers=PART)
    assert response.status_code == 200
    return response.text


def test_it_is_a_part_for_htmx_and_a_page_when_opened_directly(
    ada_client: Client, make_score: MakeScore
) -> None:
    score = make_score()
    assert "<html" not in panel(ada_client, score)
    page = ada_client.get(f"{PAGE}scores/{score.pk}/").text
    assert "<html" in page
    assert 'class="panel panel-page"' in page


def test_it_tells_value_scale_reason_and_conversation(
    ada_client: Client, make_score: MakeScore
) -> None:
    score = make_score(0.5, reason="half of it was sunny", duration_ms=12.0)
    html = panel(ada_client, score)
    assert "0.5" in html
    assert "Scale 0 to 1" in html
    assert "half of it was sunny" in html
    assert "How is Oslo?" in html
    assert "forecast" in html


def test_a_check_tells_what_was_expected_and_marks_what_was_found(
    ada_client: Client, make_score: MakeScore
) -> None:
    facts = {"output": "it is sunny, so sunny", "target": "sunny", "found": True}
    html = panel(ada_client, make_score(steps={"preprocess": facts}))
    assert "text that includes “sunny”, ignoring case" in html
    assert html.count("<mark>sunny</mark>") == 2


def test_a_tool_order_is_told_beside_the_calls_that_were_seen(
    ada_client: Client, make_score: MakeScore, sunny: Scorer
) -> None:
    order = save_check(sunny.project, "check-tool-order", {"tool_names": ["search", "answer"]})
    facts = {"actualTools": ["answer"], "expectedOrder": ["search", "answer"], "passed": False}
    score = make_score(0, scorer=order, scorer_version=order.version, steps={"preprocess": facts})
    html = panel(ada_client, score)
    assert "these calls, in this order" in html
    assert html.count("<code>answer</code>") == 2


def test_an_error_tells_its_kind_and_words_and_is_no_zero(
    ada_client: Client, make_score: MakeScore
) -> None:
    score = make_score(None, error_kind="scorer_failed", reason="preprocess: no text at all")
    html = panel(ada_client, score)
    assert "What went wrong" in html
    assert "scorer_failed" in html
    assert "no text at all" in html
    assert 'class="value"' not in html


def test_steps_prompts_and_the_judge_are_shown_where_there_are_any(
    ada_client: Client, make_score: MakeScore
) -> None:
    html = panel(ada_client, make_score())
    assert "<h3>Prompts</h3>" not in html
    score = make_score(
        steps={"analyze": {"verdict": "fine"}},
        prompts={"analyze": "Is this <b>sunny</b>?"},
        judge={"analyze": {"executions": []}},
    )
    html = panel(ada_client, score)
    assert "<h3>Prompts</h3>" in html
    assert "Is this &lt;b&gt;sunny&lt;/b&gt;?" in html
    assert "<h3>Judge</h3>" in html


def test_a_threshold_says_whether_the_score_meets_it(
    ada_client: Client, make_score: MakeScore, sunny: Scorer, weather: Agent
) -> None:
    score = make_score(0.5)
    ScorerAttachment.objects.create(agent=weather, scorer=sunny, threshold_min=0.7)
    html = panel(ada_client, score)
    assert "at least 0.7" in html
    assert "below the threshold" in html


def test_previous_and_next_stay_within_the_filter(
    ada_client: Client, make_score: MakeScore
) -> None:
    first, _, third = make_score(0.1), make_score(0.9), make_score(0.2)
    html = panel(ada_client, first, "?max=0.5")
    assert f'data-prev href="{PAGE}scores/{third.pk}/?max=0.5"' in html
    assert "data-next" not in html
    assert f'data-close href="{PAGE}?max=0.5"' in html


def test_the_scores_of_a_trace_are_told_together(ada_client: Client, make_score: MakeScore) -> None:
    score = make_score(reason_preview="because it is sunny")
    html = ada_client.get(f"/p/demo/scorers/trace/{score.trace.trace_id}/", headers=PART).text
    assert "because it is sunny" in html
    assert f"scores/{score.pk}/" in html
    assert ada_client.get("/p/demo/scorers/trace/unknown/").status_code == 404
