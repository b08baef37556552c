import { describe, expect, it } from 'vitest';
import type { Decoded } from '../../src/certificates/certificate.ts';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import type { Webhook } from '../../src/webhooks/webhook.ts';
import { aRecord } from '../support/builders.ts';
import { aRecordContext, type StartContext } from '../support/service/record-context.ts';
import { aWebhook, startPipeline } from './scripted-pipeline.ts';

const ours = aRecordContext();
const unsubscribed: Outcome = { kind: 'unsubscribed' };

function fault(): never {
  throw new TypeError('a fault of ours');
}

/** Parts of the pipeline that throw, each at another step. */
const faults = {
  'the decoder': {
    get decoded(): Decoded {
      return fault();
    },
  },
  'the directory while it catches up': {
    get caughtUp(): Promise<void> {
      return fault();
    },
  },
  'the directory': {
    get webhooks(): readonly Webhook[] {
      return fault();
    },
  },
};

describe.each(Object.entries(faults))('a record with which %s fails', (_, script) => {
  it('is dead-lettered as an internal error', async () => {
    const scripted = startPipeline(script);
    expect(await scripted.pipeline.handleCertificate(aRecord(), ours)).toBe('dead_lettered');
    expect(scripted.written).toEqual(['record internal_error']);
    expect(scripted.emitted).toEqual(['failed']);
  });

  it('is abandoned if its assignment has ended', async () => {
    const scripted = startPipeline(script);
    const revoked: StartContext = { ...ours, revoked: true, stillOwned: () => true };
    expect(await scripted.pipeline.handleCertificate(aRecord(), revoked)).toBe('abandoned');
    expect(scripted.written).toEqual([]);
    expect(scripted.emitted).toEqual([]);
  });
});

describe('a retry', () => {
  it('is dead-lettered as an internal error if its context fails', async () => {
    const scripted = startPipeline({});
    const stillOwned = () => Promise.reject(new TypeError('a fault'));
    const context: StartContext = { ...ours, revoked: false, stillOwned };
    expect(await scripted.retry({}, { context })).toBe('dead_lettered');
    expect(scripted.written).toEqual(['record internal_error']);
  });

  it('is not attempted once more if its partition was given up while the directory caught up', async () => {
    const caughtUp = Promise.withResolvers<void>();
    const scripted = startPipeline({ outcomes: [unsubscribed], caughtUp: caughtUp.promise });
    let isOwned = true;
    const context: StartContext = { ...ours, revoked: false, stillOwned: () => isOwned };
    const handled = scripted.retry({}, { context });
    await scripted.clock.advance(1000);
    isOwned = false;
    caughtUp.resolve();
    expect(await handled).toBe('abandoned');
    expect(scripted.attempted).toHaveLength(1);
  });
});

it('a record whose webhooks all ignore its event is unclaimed', async () => {
  const scripted = startPipeline({ webhooks: [aWebhook('a', false)] });
  expect(await scripted.pipeline.handleCertificate(aRecord(), ours)).toBe('unclaimed');
});
