import { describe, expect, it } from 'vitest';
import type { ReceivedRequest } from '../../support/endpoints/received-request.ts';
import type { Observations } from '../scenario/observations.ts';
import { perfectObservations } from '../support/perfect-observations.ts';
import { countFailures, runChecks, checkShutdown } from './run-checks.ts';

const perfect = perfectObservations();

function failedChecks(observations: Observations): readonly string[] {
  const checks = runChecks(observations).flatMap((group) => group.checks);
  return checks.filter(({ verdict }) => verdict.kind === 'failed').map(({ name }) => name);
}

/** Returns the perfect requests with that subscriber's first one changed, removed or repeated. */
function withRequest(
  name: string,
  change: (request: ReceivedRequest) => readonly Partial<ReceivedRequest>[],
): Partial<Observations> {
  return {
    receipts: perfect.receipts.map(({ requests: [first, ...rest], ...receipt }) => {
      if (first === undefined) throw new Error('no request');
      const changed = receipt.subscriber.name === name ? change(first) : [{}];
      return { ...receipt, requests: [...changed.map((part) => Object.assign({}, first, part)), ...rest] };
    }),
  };
}

function withHeader(name: string, from: string, to: string): Partial<Observations> {
  return withRequest(name, ({ headers }) => [
    { headers: headers.map(([key, value]) => [key.replace(from, to), value.replace(from, to)]) },
  ]);
}

function withMetric(series: string, value: number): Partial<Observations> {
  return { metrics: { ...perfect.metrics, samples: new Map([...perfect.metrics.samples, [series, value]]) } };
}

function withDeadLetter(header: string, value: string): Partial<Observations> {
  const [first, ...rest] = perfect.deadLetters;
  if (first === undefined) throw new Error('no dead letter');
  return { deadLetters: [{ ...first, headers: { ...first.headers, [header]: value } }, ...rest] };
}

function withDeadLetterValue(value: Buffer | null): Partial<Observations> {
  return {
    deadLetters: perfect.deadLetters.map((letter, index) => Object.assign({}, letter, index === 0 && { value })),
  };
}

const topic = '{topic="demo.certificates.completed"}';
const late = withRequest('Summit, fails twice', () => [{ arrivedAt: 3500 }]);

describe('the checks', () => {
  it('pass for a service that keeps every promise', () => {
    expect(failedChecks(perfect)).toEqual([]);
    expect(runChecks(perfect).flatMap(({ checks }) => checks)).toHaveLength(41);
  });

  it('have unique names that fit a line of 80 characters', () => {
    const names = runChecks(perfect).flatMap(({ checks }) => checks.map(({ name }) => name));
    expect(names.filter((name) => name.length > 70)).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each<readonly [what: string, change: Partial<Observations>, check: RegExp]>([
    ['a certificate that was not delivered', withRequest('Harbour', () => []), /^Harbour: its 112 .* once each$/],
    ['a certificate that was delivered twice', withRequest('City', () => [{}, {}]), /^City: its 40 .* once each$/],
    ['a retry at a webhook that had not failed', withRequest('Summit', () => [{}, {}]), /no others$/],
    ['a wrong token', withHeader('Harbour', 'Bearer Z', 'Bearer z'), /^Harbour: headers/],
    ['a scheme in another case', withHeader('Northern', 'Basic', 'basic'), /^Northern: headers/],
    ['a header name in another case', withHeader('City', 'X-API-Key', 'x-api-key'), /^City: headers/],
    ['a missing custom header', withHeader('Summit', 'X-Environment', 'X-Other'), /^Summit: headers/],
    ['another content type', withHeader('Sandbox', '/json', '/json;charset=utf-8'), /^Sandbox: headers/],
    ['a wrong length', withHeader('Sandbox', 'Content-Length', 'Length'), /^Sandbox: headers/],
    ['an old protocol', withRequest('City', ({ tls }) => [{ tls: { ...tls, version: 'TLSv1.1' } }]), /^every request/],
    [
      'a changed body',
      withRequest('City', ({ body }) => [{ body: Buffer.from(`${body.toString()} `) }]),
      /^354 bodies/,
    ],
    ['an attempt too early', late, /retries came after their delay$/],
    ['an attempt that is missing from the log', { attempts: perfect.attempts.slice(1) }, /^300 deliveries/],
    [
      'a recovery that is missing from the log',
      { attempts: perfect.attempts.filter(({ attempt }) => attempt < 3) },
      /200 done$/,
    ],
    ['a missing dead letter', { deadLetters: perfect.deadLetters.slice(1) }, /^10 dead letters/],
    ['a dead letter without its value', withDeadLetterValue(null), /^10 dead letters/],
    ['a dead letter with another value', withDeadLetterValue(Buffer.from('{}')), /^10 dead letters/],
    ['a dead letter of another reason', withDeadLetter('dead-letter-reason', 'expired'), /^10 dead letters/],
    ['a dead letter of fewer attempts', withDeadLetter('attempt', '3'), /^10 dead letters/],
    ['a result that is missing', { results: perfect.results.slice(1) }, /^\d+ results/],
    ['a change that is missing', { changes: [] }, /^an endpoint changes/],
    ['a notice that is missing', { notices: perfect.notices.slice(1) }, /^11 notices/],
    ['a lag', { lag: { ...perfect.lag, 'demo.retry.2s': 1 } }, /^both groups/],
    ['a record too many consumed', withMetric(`records_consumed_total${topic}`, 227), /^records_consumed_total/],
    ['a record settled as ignored', withMetric('records_settled_total{result="ignored",topic="t"}', 1), /^records_set/],
    ['a record that was lost', withMetric(`records_consumed_total${topic}`, 227), /^consumed = settled/],
    ['an attempt too many', withMetric('delivery_attempts_total{outcome="timeout"}', 1), /^delivery_attempts_total/],
    ['a retry too many', withMetric('retries_scheduled_total{tier="1s"}', 23), /^retries_scheduled_total/],
    ['another dead letter', withMetric('dead_letters_total{reason="too_large"}', 1), /^dead_letters_total/],
    ['an unsettled record', withMetric('unsettled_records', 1), /^unsettled_records/],
    ['a second open circuit', withMetric('circuit_transitions_total{circuit="open"}', 2), /^circuit_transitions_total/],
    ['a missing metric', { metrics: { text: '', samples: new Map() } }, /^handoff_failures_total/],
    ['a log line that is not JSON', { log: { ...perfect.log, unreadable: ['oops'] } }, /^all 1 lines/],
    [
      'an error in the log',
      { log: { ...perfect.log, lines: [{ level: 'error', event: 'admin.failed' }] } },
      /^none of them/,
    ],
    ['a token in the log', { log: { ...perfect.log, text: ['"Key-8d1f0c5b7a9e4632"'] } }, /^11 secrets/],
    ['a custom value in a dead letter', withDeadLetter('failure-message', 'sandbox-forgotten'), /^11 secrets/],
  ])('find %s', (_, change, check) => {
    expect(failedChecks({ ...perfect, ...change })).toContainEqual(expect.stringMatching(check));
  });

  it('show the expected and the found value', () => {
    const kafka = runChecks({ ...perfect, lag: { 'demo.retry.1s': 2 } }).find(({ title }) => title === 'In Kafka');
    expect(kafka?.checks.at(-1)?.verdict).toMatchObject({
      kind: 'failed',
      expected: expect.stringContaining("'demo.retry.1s': 0,"),
      found: "{ 'demo.retry.1s': 2 }",
    });
  });
});

describe('the check of the shutdown', () => {
  const drained = { lines: [{ level: 'info', event: 'service.stopped', drained: true }] };

  it('passes for a service that drains and exits with code 0', () => {
    expect(countFailures([checkShutdown(0, drained)])).toBe(0);
  });

  it.each([
    ['another exit code', 1, drained],
    ['a killed process', null, drained],
    ['a service that does not drain', 0, { lines: [{ level: 'info', event: 'service.stopped', drained: false }] }],
    ['a service that does not log its stop', 0, { lines: [] }],
  ])('finds %s', (_, code, log) => {
    expect(countFailures([checkShutdown(code, log)])).toBe(1);
  });
});
