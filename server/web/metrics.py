"""Metrics in the text format of Prometheus, for callers with the operator's METRICS_TOKEN."""

import hmac

from flask import Response, abort, request
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from server.application.health.metrics import Measure, measures
from server.runtime import runtime
from server.vocabulary.errors import Problem


def page() -> Response:
    """Return all metrics of `measures`.

    Raises:
        NotFound: no METRICS_TOKEN is set.
        Problem: `unauthorized` without it as a bearer token.
    """
    wanted = runtime().settings.metrics_token
    if wanted is None:
        abort(404)
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), wanted.encode()):
        raise Problem("unauthorized", "The metrics are for the operator; send METRICS_TOKEN as a bearer token.")
    registry = CollectorRegistry()
    registry.register(_Measures())
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


class _Measures(Collector):
    """A collector that measures when it is asked."""

    def collect(self) -> list[Metric]:
        return [_family(measure) for measure in measures()]

    def describe(self) -> list[Metric]:
        """Return nothing; else the registry would measure everything once more."""
        return []


def _family(measure: Measure) -> Metric:
    labels = measure.label.split()
    kind = CounterMetricFamily if measure.name.endswith("_total") else GaugeMetricFamily
    family = kind(f"blackticket_{measure.name}", measure.about, labels=labels)
    for value, number in measure.numbers.items():
        family.add_metric(value.split(maxsplit=max(0, len(labels) - 1)), number)
    return family
