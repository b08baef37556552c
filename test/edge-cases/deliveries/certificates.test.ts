import { describe, expect, it } from 'vitest';
import { json, type Document } from '../../support/builders.ts';
import { produce } from '../../support/kafka/records.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

const mebibyte = 1024 * 1024;
/** Tiers accept the size of a certificate plus its headers, as documented for operators. */
const roomy = {
  certificates: { 'max.message.bytes': 3 * mebibyte },
  tiers: { 'max.message.bytes': 3 * mebibyte + 65_536 },
};

describe('an unusual certificate', () => {
  const running = startOnce({ delays: ['300ms'], settings: roomy });

  it.each<readonly [what: string, overrides: Document]>([
    ['of two megabytes', { ruleData: { description: 'x'.repeat(2 * mebibyte) } }],
    ['with unknown fields', { _new: { deep: [1, null, '\u0000'] } }],
    ['with few fields', { ruleData: undefined, _badgeId: undefined, createdAt: undefined }],
    ['with characters of the highest Unicode plane', { name: '🎓 \u{10FFFF}' }],
  ])('is delivered byte for byte when it is one %s', async (_what, overrides) => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform, { answers: [500, 200] });
    await platform.configure(subscriber.configuration());
    const value = json(subscriber.certificate(overrides));
    await platform.complete(value);
    await service.logged('delivery.attempted', 2, { ownerId: subscriber.ownerId });
    expect(subscriber.requests.map(({ body }) => body.equals(value))).toEqual([true, true]);
  });

  it('keeps keys with a special meaning in JavaScript', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const { _id, _userId, _ownerId } = subscriber.certificate();
    const extra = `"__proto__":{"polluted":true},"constructor":null,"toString":1`;
    const value = Buffer.from(
      `{"_id":"${String(_id)}",${extra},"_userId":"${String(_userId)}","_ownerId":"${String(_ownerId)}"}`,
    );
    const places = await platform.complete(value);
    expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered']);
    expect(subscriber.requests[0]?.body.equals(value)).toBe(true);
    expect({}).not.toHaveProperty('polluted');
  });

  it('can have headers whose names have a special meaning in JavaScript', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const headers = { constructor: 'one', toString: 'two', ['__proto__']: 'three' };
    const { completed } = platform.topics;
    const places = await produce(platform.kafka, completed, [{ value: json(subscriber.certificate()), headers }]);
    expect(await service.settled(completed, places)).toEqual(['delivered']);
  });
});

describe('a record of a mixed topic', () => {
  it('gets its event type from its header, otherwise from its expiry; other event types are ignored', async () => {
    await using platform = await startPlatform();
    const mixed = platform.topics.completed;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const past = Date.UTC(2020, 0, 1);
    const at = (expires: number | null): Buffer =>
      json(subscriber.certificate({ expires: expires === null ? null : new Date(expires).toISOString() }));
    const value = at(null);
    const places = await produce(platform.kafka, mixed, [
      { value, headers: { 'event-type': 'certificate_expired' } },
      { value, headers: { ce_type: 'certificate_expired' } },
      { value, headers: { 'event-type': 'certificate_completed', ce_type: 'certificate_expired' } },
      { value, headers: { 'event-type': '', ce_type: 'certificate_expired' } },
      { value, headers: { 'event-type': 'certificate_revoked' } },
      { value: Buffer.from('no certificate'), headers: { 'event-type': 'certificate_revoked' } },
      { value },
      { value: at(past - 1), timestamp: past },
      { value: at(past), timestamp: past },
    ]);
    await using service = await runService({
      ...platform.environment,
      CERTIFICATE_TOPICS: mixed,
      DELIVERY_EVENT_TYPE_HEADER: 'X-Event',
      DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '1',
    });
    const results = [...Array(4).fill('delivered'), 'ignored', 'ignored', ...Array(3).fill('delivered')];
    expect(await service.settled(mixed, places)).toEqual(results);
    expect(subscriber.requests.map((request) => request.header('x-event')?.replace('certificate_', ''))).toEqual([
      'expired',
      'expired',
      'completed',
      'expired',
      'completed',
      'expired',
      'completed',
    ]);
    expect(await service.unaccounted()).toBe(0);
  });
});
