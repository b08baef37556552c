import { describe, expect, it } from 'vitest';
import { flowLimits, gatesPolicy } from '../../src/flow/limits.ts';
import type { Settings } from '../../src/settings.ts';
import { defaultSettings } from '../support/service/default-settings.ts';

const megabyte = 1024 ** 2;

function settingsWith({ intake, delivery }: { intake?: Partial<Settings['intake']>; delivery?: object }): Settings {
  const settings = defaultSettings();
  return { ...settings, intake: { ...settings.intake, ...intake }, delivery: { ...settings.delivery, ...delivery } };
}

describe('the limits of what a group holds', () => {
  it('are a quarter for retries, whose partitions share them equally, and the rest for first attempts', () => {
    const settings = settingsWith({ intake: { maxRecords: 1000, maxBytes: 64 * megabyte, maxSpan: 500 } });
    const first = { maxRecords: 750, maxDeliveries: 750, maxBytes: 48 * megabyte, maxSpan: 500, sharedEqually: false };
    expect(flowLimits(settings, 'first')).toMatchObject(first);
    const retry = { maxRecords: 250, maxDeliveries: 250, maxBytes: 16 * megabyte, maxSpan: 500, sharedEqually: true };
    expect(flowLimits(settings, 'retry')).toMatchObject({ ...retry, window: 250, maxPending: Infinity });
  });

  it('include a window of first attempts of which one owner has as much as one endpoint can have', () => {
    const settings = settingsWith({ delivery: { maxInFlightPerEndpoint: 16, maxWaitingPerEndpoint: 256 } });
    expect(flowLimits(settings, 'first').window / 2).toBe(272);
  });

  it('are shared as far as anything is left while retries are held no longer than in the shortest tier', () => {
    const settings = defaultSettings();
    const delaysMs = [10_000, 60_000];
    expect(flowLimits({ ...settings, retry: { ...settings.retry, delaysMs } }, 'retry').shortHoldMs).toBe(10_000);
  });

  it('are at least one record in each pool', () => {
    const settings = settingsWith({ intake: { maxRecords: 1 } });
    expect([flowLimits(settings, 'first').maxRecords, flowLimits(settings, 'retry').maxRecords]).toEqual([1, 1]);
  });
});

describe('the limits of the gates', () => {
  it('give suspect endpoints a quarter of the requests and of the waiting places in each pool', () => {
    const settings = settingsWith({ delivery: { maxInFlight: 512 }, intake: { maxRecords: 10_000 } });
    expect(gatesPolicy(settings).capacity).toEqual({
      first: { inFlight: 384, suspectInFlight: 96, suspectWaiting: 1875 },
      retry: { inFlight: 128, suspectInFlight: 32, suspectWaiting: 625 },
    });
  });

  it('leave suspect endpoints at least one request and one waiting place', () => {
    const settings = settingsWith({ delivery: { maxInFlight: 2 }, intake: { maxRecords: 4 } });
    expect(gatesPolicy(settings).capacity).toEqual({
      first: { inFlight: 1, suspectInFlight: 1, suspectWaiting: 1 },
      retry: { inFlight: 1, suspectInFlight: 1, suspectWaiting: 1 },
    });
  });

  it('come from the settings of an endpoint and of its circuit', () => {
    const { delivery, circuit } = defaultSettings();
    expect(gatesPolicy(defaultSettings())).toMatchObject({
      lateAfterMs: 1000,
      maxInFlight: delivery.maxInFlightPerEndpoint,
      maxWaiting: delivery.maxWaitingPerEndpoint,
      maxWaitMs: delivery.timeoutMs,
      maxAgeMs: delivery.maxAgeMs,
      failures: circuit.failures,
      cooldownMs: circuit.cooldownMs,
    });
  });
});
