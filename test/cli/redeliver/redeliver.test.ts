import { expect, it } from 'vitest';
import { redeliver, RedeliverCounts, type CertificateScan, type RedeliverOptions } from '../../../src/cli/redeliver.ts';
import { allOf, CertificatePlan } from '../../../src/deliveries/plan.ts';
import type { Webhook } from '../../../src/webhooks/webhook.ts';
import { aWebhook } from '../../flow/support/gates-under-test.ts';
import { aCertificate, aRecord } from '../../support/builders.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const webhook: Webhook = { ...aWebhook('hook'), ownerId: aCertificate().ownerId };

/** A topic with two partitions of three records each. Each chunk has one record. */
function aTopic(topic: string): CertificateScan {
  const partitions = [0, 1];
  return {
    topic,
    partitions,
    offsetsForTime: () => Promise.resolve(new Map(partitions.map((partition) => [partition, 0]))),
    offsets: () => 6,
    async *read(partition, from = 0) {
      await Promise.resolve();
      for (let offset = from; offset < 3; offset += 1) {
        yield { records: [aRecord({ topic, partition, offset, timestamp: 5 })], offsets: 1 };
      }
    },
  };
}

const topics = [aTopic('a'), aTopic('b')];
const all = ['a', 'b'].flatMap((topic) =>
  [0, 1].flatMap((part) => [0, 1, 2].map((at) => `${topic}/${part}/${at}/hook`)),
);

it.each(all.keys().toArray().slice(1))(
  'continues after an abort at record %i, with each delivery once',
  async (count) => {
    const ids: string[] = [];
    const clock = new ManualClock();
    const run = async (from: RedeliverOptions['from'], stopAt: number) => {
      const stop = new AbortController();
      const counts = new RedeliverCounts();
      const running = redeliver(topics, {
        webhook,
        since: 0,
        until: 10,
        from,
        planner: {
          decode: async () => Promise.resolve({ kind: 'certificate', certificate: aCertificate() }),
          plan: (record, certificate, webhooks) =>
            allOf(new CertificatePlan({ record, certificate, webhooks, now: 0 })),
        },
        writer: {
          publishRetries: async (deliveries) => {
            ids.push(...deliveries.map(({ delivery }) => delivery.deliveryId));
            if (ids.length === stopAt && stopAt < all.length) stop.abort();
            return Promise.resolve(deliveries.map(() => 'written'));
          },
        },
        counts,
        screen: { clock, err: () => undefined, bar: undefined },
        signal: stop.signal,
      });
      const ended = await running.then(
        () => 'done',
        () => 'stopped',
      );
      return { ended, next: counts.next };
    };
    const first = await run(undefined, count);
    const second = await run(first.next, all.length);
    expect([first.ended, second.ended]).toEqual(['stopped', 'done']);
    expect(ids).toEqual(all);
  },
);
