import { recorded } from '../rules/recordings.ts';
import type { DashboardPlan, PanelPlan } from './plan.ts';
import { increase, kept, ours, rate } from './promql.ts';

export const endpoints: DashboardPlan = {
  name: 'endpoints',
  title: 'Endpoints',
  description: 'The subscribers in aggregate. Which of them fails is told by /endpoints and by the log, by id.',
  rows: [
    { title: 'Circuits', panels: circuits() },
    { title: 'Connections', panels: connections() },
    { title: 'Configurations', panels: configurations() },
  ],
};

function circuits(): readonly PanelPlan[] {
  return [
    {
      title: 'Endpoints, by circuit',
      description:
        'Endpoints lately delivered to. Open: it failed many times in a row and gets no requests. Half open: it is asked again with the next delivery. Ids are at /endpoints of each instance.',
      unit: 'short',
      look: 'areas',
      width: 8,
      queries: [{ expression: `sum by (circuit) (${ours('endpoints')})`, legend: '{{circuit}}' }],
    },
    {
      title: 'Open circuits, and as usual',
      description:
        'Open at present, and in nine tenths of the last day. When the first leaves the second far below, many endpoints fail at once: look for a cause on our side before writing to subscribers.',
      unit: 'short',
      width: 8,
      queries: [
        { expression: kept(recorded.openEndpoints), legend: 'open' },
        { expression: kept(recorded.usuallyOpenEndpoints), legend: 'usual' },
      ],
    },
    {
      title: 'Changes of circuits, by new state',
      description:
        'Open and half open in step: endpoints that stay down are probed. Open and closed in step: endpoints that come and go, or ask for time with Retry-After.',
      unit: 'short',
      width: 8,
      queries: [{ expression: increase(ours('circuit_transitions_total'), 'circuit'), legend: '{{circuit}}' }],
    },
  ];
}

function connections(): readonly PanelPlan[] {
  return [
    {
      title: 'Attempts without a usable response, by outcome',
      description:
        'What goes wrong on the way, for all endpoints together. One outcome that jumps is a fault that they share: name service, way out, clock, authorities or policy.',
      unit: 'reqps',
      look: 'areas',
      queries: [
        {
          expression: rate(ours('delivery_attempts_total', 'outcome!~"delivered|http_error"'), 'outcome'),
          legend: '{{outcome}}',
        },
      ],
    },
    {
      title: 'Connections opened, by resumption',
      description:
        'TLS connections to endpoints; resumed ones cost little. As many as there are attempts: endpoints close connections at once, or too few are kept (DELIVERY_MAX_IDLE_CONNECTIONS).',
      unit: 'cps',
      look: 'areas',
      queries: [{ expression: rate(ours('connections_opened_total'), 'resumed'), legend: 'resumed: {{resumed}}' }],
    },
  ];
}

function configurations(): readonly PanelPlan[] {
  return [
    {
      title: 'Configurations, by state',
      description:
        'Webhook configurations known. Invalid ones are refused and their deliveries wait: configuration.refused in the log says why. A sudden fall means that the configurations topic or files lost some.',
      unit: 'short',
      look: 'areas',
      queries: [{ expression: `max by (state) (${ours('webhook_configurations')})`, legend: '{{state}}' }],
    },
    {
      title: 'Failed reloads of configuration files, by instance',
      description:
        'Files that changed and can not be read; the last good set is kept. configurations.reload_failed in the log tells file and problem. It stays at zero when configurations come from Kafka.',
      unit: 'short',
      queries: [
        { expression: increase(ours('configuration_reload_failures_total'), 'instance'), legend: '{{instance}}' },
      ],
    },
  ];
}
