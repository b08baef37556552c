import { expect, it } from 'vitest';
import { certificateEvents } from '../subscribers/certificates.ts';
import { subscribers } from '../subscribers/subscribers.ts';
import { plainText } from '../view/line.ts';
import { Journal } from './service-log.ts';
import { sceneOf, type Plot } from './scenario.ts';

const [, , , , , recovering] = subscribers;
const events = certificateEvents();

function plotAfter(...attempts: readonly Readonly<Record<string, unknown>>[]): Plot {
  const journal = new Journal();
  for (const attempt of attempts) {
    journal.take(JSON.stringify({ event: 'delivery.attempted', level: 'info', ...attempt }));
  }
  return { journal, events, produced: [] };
}

function failed(certificateId: string | undefined): Readonly<Record<string, unknown>> {
  const ids = { configurationId: recovering?.id, certificateId, deliveryId: certificateId };
  return { ...ids, attempt: 1, outcome: 'http_error', status: 503, settlement: 'retry', tier: '1s' };
}

it('begins with everything yet to come', () => {
  const { certificates, deliveries, rows } = sceneOf(plotAfter());
  expect(certificates).toEqual({ done: 0, total: 312 });
  expect(deliveries).toEqual({ done: 0, total: 300 });
  expect(rows.map(({ wanted }) => wanted)).toEqual([112, 80, 40, 28, 18, 12, 10]);
});

it('tells of the first delivery of a webhook, and of what somebody added', () => {
  const [one, two] = events;
  const { notes } = sceneOf(plotAfter(failed(one?.id), failed(two?.id), failed('added')));
  expect(notes.map(({ isTelling }) => isTelling)).toEqual([true, false, true]);
  expect(notes.map(({ line }) => plainText(line))[0]).toMatch(
    /^ {2}Summit, fails twice .*attempt 1: 503, again in 1s$/,
  );
});
