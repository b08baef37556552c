import { assert as assertProperty, array, integer, property } from 'fast-check';
import { expect, describe, it } from 'vitest';
import { CertificateWatch, type ExpiringCertificate } from '../../src/deliveries/certificate-watch.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

const dayMs = 24 * 3_600_000;
const webhook = { webhookId: 'w', ownerId: 'o' };
const origin = 'https://hooks.example.com';

/** A watch of one origin, whose certificate has these days left at the start. */
function watchOf(daysLeft: number) {
  const clock = new ManualClock();
  const emitted: ExpiringCertificate[] = [];
  let end = clock.now() + daysLeft * dayMs;
  const watch = new CertificateWatch({
    http: { certificateEnd: (asked) => (asked === origin ? end : undefined) },
    clock,
    listeners: [{ certificateExpiring: (certificate) => emitted.push(certificate) }],
  });
  return {
    watch,
    clock,
    emitted,
    check: (id = 'w') => watch.check({ ...webhook, webhookId: id }, origin),
    replace: (days: number) => void (end = clock.now() + days * dayMs),
    daysLeft: () => emitted.map(({ validUntil }) => (validUntil - clock.now()) / dayMs),
  };
}

describe('the certificate of an endpoint', () => {
  it('expires and nobody was told: told of at 21, 7 and 1 days, once each', async () => {
    const test = watchOf(30);
    const told: number[] = [];
    for (let hour = 0; hour < 31 * 24; hour += 1) {
      test.check();
      for (const { validUntil } of test.emitted.splice(0)) told.push((validUntil - test.clock.now()) / dayMs);
      await test.clock.advance(3_600_000);
    }
    expect(told).toEqual([21, 7, 1]);
  });

  it('is told of at once if the first request comes when it has few days left', () => {
    const test = watchOf(3);
    test.check();
    test.check();
    expect(test.emitted).toEqual([{ ...webhook, validUntil: test.clock.now() + 3 * dayMs }]);
  });

  it('is not told of again after it was renewed, until the new one is about to expire', async () => {
    const test = watchOf(20);
    test.check();
    test.replace(90);
    test.check();
    expect(test.watch.expiring()).toEqual([]);
    await test.clock.advance(70 * dayMs);
    test.check();
    expect(test.emitted).toHaveLength(2);
  });

  it('is of each webhook that has this origin', () => {
    const test = watchOf(20);
    test.check('one');
    test.check('two');
    expect(test.watch.expiring().map(({ webhookId }) => webhookId)).toEqual(['one', 'two']);
    test.watch.check(webhook, 'https://other.example.com');
    expect(test.emitted).toHaveLength(2);
  });

  it('is told of at most once a day for each webhook, whichever certificates its servers have', () => {
    assertProperty(
      property(array(integer({ min: 0, max: 40 }), { maxLength: 60 }), (days) => {
        const test = watchOf(90);
        for (const left of days) {
          test.replace(left);
          test.check();
        }
        expect(test.emitted.length).toBe(days.some((left) => left <= 21) ? 1 : 0);
      }),
    );
  });
});
