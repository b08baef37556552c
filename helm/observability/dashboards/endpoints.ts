import { recorded } from '../rules/recordings.ts';
import type { DashboardDefinition, PanelDefinition } from './definition.ts';
import { increase, recordedSeries, serviceMetric, rate } from './promql.ts';

export const endpoints: DashboardDefinition = {
  name: 'endpoints',
  title: 'Endpoints',
  description: 'All subscribers together. The last row names the failing ones by id, from the log.',
  rows: [
    { title: 'Circuits', panels: circuits() },
    { title: 'Connections', panels: connections() },
    { title: 'Configurations', panels: configurations() },
    { title: 'From the log', panels: fromLog() },
  ],
};

function circuits(): readonly PanelDefinition[] {
  return [
    {
      title: 'Endpoints by circuit state',
      description:
        'Endpoints with recent deliveries. Open: it failed many times in a row and gets no requests. Half open: the next delivery tests it. /endpoints of each instance lists the ids.',
      unit: 'short',
      visualization: 'areas',
      width: 8,
      queries: [{ expression: `sum by (circuit) (${serviceMetric('endpoints')})`, legend: '{{circuit}}' }],
    },
    {
      title: 'Failing endpoints and open circuits, now and usually',
      description:
        'Endpoints that have failed since their last success, and circuits open now, with their median and their 90th percentile over the last day. If one rises far above the usual, many endpoints fail at once: look for a cause on our side before you contact subscribers.',
      unit: 'short',
      width: 8,
      queries: [
        { expression: recordedSeries(recorded.openEndpoints), legend: 'open' },
        { expression: recordedSeries(recorded.usuallyOpenEndpoints), legend: 'usually open' },
        { expression: `sum(${serviceMetric('endpoints_failing')})`, legend: 'failing' },
        { expression: recordedSeries(recorded.usuallyFailingEndpoints), legend: 'usually failing' },
      ],
    },
    {
      title: 'Circuit changes by new state',
      description:
        'Equal rates of open and half open: endpoints stay down and are probed. Equal rates of open and closed: endpoints fail on and off, or send Retry-After.',
      unit: 'short',
      width: 8,
      queries: [{ expression: increase(serviceMetric('circuit_transitions_total'), 'circuit'), legend: '{{circuit}}' }],
    },
  ];
}

function connections(): readonly PanelDefinition[] {
  return [
    {
      title: 'Attempts without a usable response, by outcome',
      description:
        'Failures before a response, for all endpoints together. If one outcome jumps, the cause is shared: DNS, outbound network, clock, certificate authorities or egress policy.',
      unit: 'reqps',
      visualization: 'areas',
      queries: [
        {
          expression: rate(serviceMetric('delivery_attempts_total', 'outcome!~"delivered|http_error"'), 'outcome'),
          legend: '{{outcome}}',
        },
      ],
    },
    {
      title: 'Connections opened, by TLS resumption',
      description:
        'TLS connections to endpoints. Resumed ones are cheap. If there are as many as attempts, endpoints close connections at once, or DELIVERY_MAX_IDLE_CONNECTIONS is too low.',
      unit: 'cps',
      visualization: 'areas',
      queries: [
        { expression: rate(serviceMetric('connections_opened_total'), 'resumed'), legend: 'resumed: {{resumed}}' },
      ],
    },
    {
      title: 'Connections cut, by the limit that their endpoint exceeded',
      description:
        'Their endpoint sent more than 64 KiB for one response, or too many TLS records or interim responses. Look for protocol_error in the log, and at /endpoints for the endpoint.',
      unit: 'short',
      visualization: 'areas',
      queries: [{ expression: increase(serviceMetric('connections_cut_total'), 'limit'), legend: '{{limit}}' }],
    },
    {
      title: 'TLS handshakes without an answer, by how they ended',
      description:
        'The connection was accepted, and closed (reset) or left silent (silence) before a byte came. Such an endpoint gets plain handshakes for an hour. A few are harmless. Many mean a firewall, or an address at which nobody speaks TLS.',
      unit: 'short',
      visualization: 'areas',
      queries: [{ expression: increase(serviceMetric('handshakes_unanswered_total'), 'end'), legend: '{{end}}' }],
    },
    {
      title: 'Addresses not taken from DNS answers, by instance',
      description:
        'Of a name with more than 16 addresses of a family, the others are never tried. A few are harmless. Thousands mean that a subscriber tries to exhaust this service with its DNS.',
      unit: 'short',
      visualization: 'areas',
      queries: [
        { expression: increase(serviceMetric('dns_addresses_dropped_total'), 'instance'), legend: '{{instance}}' },
      ],
    },
  ];
}

function configurations(): readonly PanelDefinition[] {
  return [
    {
      title: 'Configurations by state',
      description:
        'Known webhook configurations. Invalid ones are rejected and their deliveries wait: configuration.refused in the log says why. A sudden fall means that the configurations topic or files lost some.',
      unit: 'short',
      visualization: 'areas',
      queries: [{ expression: `max by (state) (${serviceMetric('webhook_configurations')})`, legend: '{{state}}' }],
    },
    {
      title: 'Failed reloads of files, by instance',
      description:
        'Changed files that cannot be used. The last valid content stays in use. configurations.reload_failed or credentials.reload_failed in the log names file and problem.',
      unit: 'short',
      queries: [
        {
          expression: increase(serviceMetric('configuration_reload_failures_total'), 'instance'),
          legend: '{{instance}}',
        },
      ],
    },
  ];
}

function fromLog(): readonly PanelDefinition[] {
  // The labels of the stream are those that Grafana Alloy sets.
  const failedAttempts =
    '{cluster=~"$cluster",namespace=~"$namespace",container="certificate-webhooks"} |= `"event":"delivery.attempted"` | json configurationId, ownerId, outcome | outcome != "delivered"';
  return [
    {
      title: 'Subscribers with most failed attempts',
      description:
        'The twenty worst webhook configurations of the selected time, by their failed attempts. If they have a cause in common, look for it on our side. Otherwise tell the owners. It needs a data source for Loki. LOG_DELIVERIES=failed is enough for it.',
      unit: 'short',
      visualization: 'log table',
      width: 24,
      queries: [
        {
          expression: `topk(20, sum by (configurationId, ownerId) (count_over_time(${failedAttempts} [$__range])))`,
          legend: '',
        },
      ],
    },
  ];
}
