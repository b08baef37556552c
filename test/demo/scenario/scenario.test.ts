import { expect, it } from 'vitest';
import { certificateEvents } from '../subscribers/certificates.ts';
import { subscribers } from '../subscribers/subscribers.ts';
import { plainText } from '../view/line.ts';
import { ServiceLog } from './service-log.ts';
import { overviewOf, type Scenario } from './scenario.ts';

const [, , , , , recovering] = subscribers;
const events = certificateEvents();

function scenarioAfter(...attempts: readonly Readonly<Record<string, unknown>>[]): Scenario {
  const log = new ServiceLog();
  for (const attempt of attempts) {
    log.add(JSON.stringify({ event: 'delivery.attempted', level: 'info', ...attempt }));
  }
  return { log, events, produced: [] };
}

function failed(certificateId: string | undefined): Readonly<Record<string, unknown>> {
  const ids = { configurationId: recovering?.id, certificateId, deliveryId: certificateId };
  return { ...ids, attempt: 1, outcome: 'http_error', status: 503, settlement: 'retry', tier: '1s' };
}

it('shows the expected totals before the first certificate', () => {
  const { certificates, deliveries, rows } = overviewOf(scenarioAfter());
  expect(certificates).toEqual({ done: 0, total: 312 });
  expect(deliveries).toEqual({ done: 0, total: 300 });
  expect(rows.map(({ wanted }) => wanted)).toEqual([112, 80, 40, 28, 18, 12, 10]);
});

it('marks notes on the first delivery of a webhook and on added certificates as notable', () => {
  const [one, two] = events;
  const { notes } = overviewOf(scenarioAfter(failed(one?.id), failed(two?.id), failed('added')));
  expect(notes.map(({ isNotable }) => isNotable)).toEqual([true, false, true]);
  expect(notes.map(({ line }) => plainText(line))[0]).toMatch(
    /^ {2}Summit, fails twice .*attempt 1: 503, retry in 1s$/,
  );
});
