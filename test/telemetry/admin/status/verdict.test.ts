import { describe, expect, it } from 'vitest';
import type { Status } from '../../../../src/telemetry/admin/status/status.ts';
import { verdictOf } from '../../../../src/telemetry/admin/status/verdict.ts';
import { aStatus } from '../../support/status.ts';

function endpoints(total: number, open: number): Status['endpoints'] {
  return { ...aStatus().endpoints, circuits: { closed: 12, open, half_open: 0 }, failing: { total, first: [] } };
}

describe('the verdict', () => {
  it.each<[string, Partial<Status>, string, string]>([
    ['nothing is wrong', {}, 'Ready', 'Alive. No endpoint fails.'],
    ['one endpoint fails', { endpoints: endpoints(1, 0) }, 'Ready', 'Alive. 1 of 12 endpoints fails.'],
    [
      'several endpoints fail',
      { endpoints: endpoints(4, 2) },
      'Ready',
      'Alive. 4 of 14 endpoints fail, and 2 circuits are open.',
    ],
    [
      'conditions are not met',
      { missing: ['the topics', 'all webhook configurations'] },
      'Not ready',
      'Alive. Missing: the topics, all webhook configurations. No endpoint fails.',
    ],
    [
      'a component is stalled',
      { stalled: ['the consumer has done nothing for 120 s'], missing: ['the topics'] },
      'Not alive',
      'The consumer has done nothing for 120 s. Missing: the topics. No endpoint fails.',
    ],
    ['the service shuts down', { missing: ['shutting down'] }, 'Shutting down', 'No endpoint fails.'],
  ])('says when %s', (_when, status, title, findings) => {
    const verdict = verdictOf(aStatus(status));
    expect([verdict.title, verdict.findings.join(' ')]).toEqual([title, findings]);
    expect(verdict.tone).toBe(title === 'Ready' ? 'good' : 'bad');
  });
});
