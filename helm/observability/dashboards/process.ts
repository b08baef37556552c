import type { DashboardPlan, PanelPlan } from './plan.ts';
import { ofProcess, ours } from './promql.ts';

const each = '{{instance}}';

export const process: DashboardPlan = {
  name: 'process',
  title: 'Process',
  description: 'How much of its processor, memory, handles and limits each instance uses.',
  rows: [
    { title: 'Processor', panels: processor() },
    { title: 'Memory', panels: memory() },
    { title: 'Limits', panels: limits() },
    { title: 'Running', panels: running() },
  ],
};

function processor(): readonly PanelPlan[] {
  return [
    {
      title: 'Processor',
      description:
        'Node uses one processor for its own work. Near 1 for long: add instances, up to the number of partitions.',
      unit: 'short',
      width: 8,
      bad: { above: 0.9 },
      queries: [
        {
          expression: `sum by (instance) (rate(${ofProcess('process_cpu_seconds_total')}[$__rate_interval]))`,
          legend: each,
        },
      ],
    },
    {
      title: 'Lag of the event loop',
      description:
        'How late the process is with its own timers, 99th percentile. Half a second makes first attempts late, and a session timeout of it costs the partitions: see processor and garbage collection.',
      unit: 's',
      width: 8,
      bad: { above: 0.5 },
      queries: [{ expression: ofProcess('nodejs_eventloop_lag_p99_seconds'), legend: each }],
    },
    {
      title: 'Garbage collection',
      description:
        'The share of time that it takes. Above a tenth the heap is too small for what is held: see the heap, then unsettled bytes and the number of configurations.',
      unit: 'percentunit',
      width: 8,
      bad: { above: 0.1 },
      queries: [
        {
          expression: `sum by (instance) (rate(${ofProcess('nodejs_gc_duration_seconds_sum')}[$__rate_interval]))`,
          legend: each,
        },
      ],
    },
  ];
}

function memory(): readonly PanelPlan[] {
  return [
    {
      title: 'Memory of the process',
      description:
        'What the container is judged by. When it nears the limit of the container while the heap does not, connections and buffers take it: lower DELIVERY_MAX_IDLE_CONNECTIONS or raise the limit.',
      unit: 'bytes',
      queries: [{ expression: ofProcess('process_resident_memory_bytes'), legend: each }],
    },
    {
      title: 'Heap',
      description:
        'Used, and set aside. It rises to up to three times what is in use, and falls when all garbage is collected. Its low points follow the number of configurations and what is unsettled, and nothing else; low points that rise for days are a leak.',
      unit: 'bytes',
      queries: [
        { expression: ofProcess('nodejs_heap_size_used_bytes'), legend: `${each}, used` },
        { expression: ofProcess('nodejs_heap_size_total_bytes'), legend: `${each}, set aside` },
      ],
    },
  ];
}

function limits(): readonly PanelPlan[] {
  return [
    {
      title: 'Unsettled records',
      description:
        'Share of INTAKE_MAX_RECORDS, what tiers hold ahead of time included. At 1 reading pauses: see what the records wait for before the limit is raised.',
      unit: 'percentunit',
      width: 8,
      bad: { above: 0.9 },
      queries: [{ expression: `${ours('unsettled_records')} / ${ours('unsettled_records_limit')}`, legend: each }],
    },
    {
      title: 'Unsettled bytes',
      description:
        'Share of INTAKE_MAX_BYTES. At 1 reading pauses. Large certificates reach it before the limit of records.',
      unit: 'percentunit',
      width: 8,
      bad: { above: 0.9 },
      queries: [{ expression: `${ours('unsettled_bytes')} / ${ours('unsettled_bytes_limit')}`, legend: each }],
    },
    {
      title: 'File handles',
      description:
        'Share of the handles that the process may have; each connection is one. When they run out, requests fail with local_error: raise the limit, or lower DELIVERY_MAX_IDLE_CONNECTIONS.',
      unit: 'percentunit',
      width: 8,
      bad: { above: 0.8 },
      queries: [{ expression: `${ofProcess('process_open_fds')} / ${ofProcess('process_max_fds')}`, legend: each }],
    },
  ];
}

function running(): readonly PanelPlan[] {
  return [
    {
      title: 'Running since',
      description: 'Time since the start of each instance. When it falls to zero again and again, see why it restarts.',
      unit: 's',
      queries: [{ expression: `time() - ${ofProcess('process_start_time_seconds')}`, legend: each }],
    },
    {
      title: 'Versions',
      description:
        'Instances by version. Two of them although no roll-out is under way: one got stuck half way. See which pods are not ready.',
      unit: 'short',
      queries: [
        {
          expression: `count by (version, node_version) (${ours('build_info')})`,
          legend: '{{version}} on Node {{node_version}}',
        },
      ],
    },
  ];
}
