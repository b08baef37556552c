import { expect, it } from 'vitest';
import type { FaultReport } from './fault-report.ts';
import { tableOf } from './table.ts';

const result = {
  records: 100,
  deliveries: 120,
  missing: 0,
  deadLettered: 0,
  repeated: 3,
  allowedToRepeat: 40,
  longestStallMs: 6180,
  commits: 12,
  violations: [],
};
const killed: FaultReport = { fault: 'killed', seed: 7, scale: 'full', durationMs: 61_000, result };

it('has a row for each fault, and names the date and the machine', () => {
  const frozen = { ...killed, fault: 'frozen', result: { ...result, violations: ['it was late'] } };
  const report = { date: '2026-11-21', cores: 2, memoryGib: 24, node: 'v24.21.0', faults: [killed, frozen] };
  expect(tableOf(report).split('\n')).toEqual([
    expect.stringContaining('2026-11-21 with 2 cores and 24 GiB'),
    '',
    '| Fault | Records | Deliveries | Missing | Repeated | Allowed | Longest stall | Lasted |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    '| killed | 100 | 120 | 0 | 3 | 40 | 6.2 s | 61.0 s |',
    '| **failed:** frozen | 100 | 120 | 0 | 3 | 40 | 6.2 s | 61.0 s |',
  ]);
});
