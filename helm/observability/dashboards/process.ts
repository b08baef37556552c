import type { DashboardDefinition, PanelDefinition } from './definition.ts';
import { increase, processMetric, serviceMetric } from './promql.ts';

const each = '{{instance}}';

export const process: DashboardDefinition = {
  name: 'process',
  title: 'Process',
  description: 'CPU, memory, file descriptors and limits of each instance.',
  rows: [
    { title: 'CPU', panels: cpu() },
    { title: 'Memory', panels: memory() },
    { title: 'Limits', panels: limits() },
    { title: 'Uptime', panels: uptime() },
  ],
};

function cpu(): readonly PanelDefinition[] {
  return [
    {
      title: 'CPU',
      description:
        'Cores in use. Node runs the service on one core. If it stays near 1, add instances, up to the number of partitions.',
      unit: 'short',
      width: 8,
      bad: { above: 0.9 },
      queries: [
        {
          expression: `sum by (instance) (rate(${processMetric('process_cpu_seconds_total')}[$__rate_interval]))`,
          legend: each,
        },
      ],
    },
    {
      title: 'Event loop lag',
      description:
        'The 99th percentile of how late timers run. At half a second first attempts start late. At the session timeout the instance loses its partitions. Check CPU and garbage collection.',
      unit: 's',
      width: 8,
      bad: { above: 0.5 },
      queries: [{ expression: processMetric('nodejs_eventloop_lag_p99_seconds'), legend: each }],
    },
    {
      title: 'Garbage collection',
      description:
        'The share of time spent in garbage collection. Above a tenth the heap is too small: check the heap, then unsettled bytes and the number of configurations.',
      unit: 'percentunit',
      width: 8,
      bad: { above: 0.1 },
      queries: [
        {
          expression: `sum by (instance) (rate(${processMetric('nodejs_gc_duration_seconds_sum')}[$__rate_interval]))`,
          legend: each,
        },
      ],
    },
  ];
}

function memory(): readonly PanelDefinition[] {
  return [
    {
      title: 'Process memory',
      description:
        'Resident memory, which counts against the container limit. If it nears the limit but the heap does not, connections and buffers use it: lower DELIVERY_MAX_IDLE_CONNECTIONS or raise the limit.',
      unit: 'bytes',
      queries: [{ expression: processMetric('process_resident_memory_bytes'), legend: each }],
    },
    {
      title: 'Heap',
      description:
        'The heap in use, and its allocated size. It rises up to three times the live data, and falls with a full garbage collection. Its low points depend only on the configurations and the unsettled records. If the low points rise for days, there is a leak.',
      unit: 'bytes',
      queries: [
        { expression: processMetric('nodejs_heap_size_used_bytes'), legend: `${each}, used` },
        { expression: processMetric('nodejs_heap_size_total_bytes'), legend: `${each}, allocated` },
      ],
    },
  ];
}

function limits(): readonly PanelDefinition[] {
  return [
    {
      title: 'Unsettled records',
      description:
        'The used share of INTAKE_MAX_RECORDS, including records that retry topics read ahead. A partition pauses once it holds as much as is left for all, so a single one pauses at 0.5. Find out what the records wait for before you raise the limit.',
      unit: 'percentunit',
      width: 8,
      bad: { above: 0.9 },
      queries: [
        {
          expression: `${serviceMetric('unsettled_records')} / ${serviceMetric('unsettled_records_limit')}`,
          legend: each,
        },
      ],
    },
    {
      title: 'Unsettled bytes',
      description:
        'The used share of INTAKE_MAX_BYTES. A partition pauses once it holds as much as is left for all. Large certificates reach this limit before the limit of records.',
      unit: 'percentunit',
      width: 8,
      bad: { above: 0.9 },
      queries: [
        { expression: `${serviceMetric('unsettled_bytes')} / ${serviceMetric('unsettled_bytes_limit')}`, legend: each },
      ],
    },
    {
      title: 'File descriptors',
      description:
        'The used share of the file descriptors. Each connection uses one. If they run out, requests fail with local_error: raise the limit, or lower DELIVERY_MAX_IDLE_CONNECTIONS.',
      unit: 'percentunit',
      width: 8,
      bad: { above: 0.8 },
      queries: [
        { expression: `${processMetric('process_open_fds')} / ${processMetric('process_max_fds')}`, legend: each },
      ],
    },
    {
      title: 'Clients of metrics and probes disconnected, by limit',
      description:
        'Connections to HTTP_PORT that were closed at a limit. Normally zero: probes, Prometheus and people stay far below. admin.connection_closed in the log names an address: find out who it is, or allow fewer clients with networkPolicy.',
      unit: 'short',
      width: 24,
      queries: [
        { expression: increase(serviceMetric('admin_connections_closed_total'), 'limit'), legend: '{{limit}}' },
      ],
    },
  ];
}

function uptime(): readonly PanelDefinition[] {
  return [
    {
      title: 'Uptime',
      description:
        'The time since the start of each instance. If it keeps falling to zero, find out why the instance restarts.',
      unit: 's',
      queries: [{ expression: `time() - ${processMetric('process_start_time_seconds')}`, legend: each }],
    },
    {
      title: 'Versions',
      description:
        'Instances by version. Two versions without a rollout in progress mean that a rollout is stuck: check which pods are not ready.',
      unit: 'short',
      queries: [
        {
          expression: `count by (version, node_version) (${serviceMetric('build_info')})`,
          legend: '{{version}} on Node {{node_version}}',
        },
      ],
    },
  ];
}
