import { describe, expect, it } from 'vitest';
import { needs } from '../../support/programs/needs.ts';
import { asExpected, instance, replay } from '../support/replay.ts';

describe('CertificateWebhooksSaturated', needs('promtool'), () => {
  const alert = 'Saturated';
  const limits = {
    'in_flight_deliveries_limit{attempt="first"}': '384x60',
    'in_flight_deliveries_limit{attempt="retry"}': '128x60',
  };

  it('fires if one instance stays at its limit of requests', async () => {
    const series = {
      ...instance('a', { ...limits, 'in_flight_deliveries{attempt="retry"}': '0x10 128x50' }),
      ...instance('b', { ...limits, 'in_flight_deliveries{attempt="retry"}': '1x60' }),
    };
    const firing = { '20m': [], '45m': [{ resource: 'requests' }] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('is quiet during short peaks, and while capacity is left', async () => {
    const series = instance('a', {
      ...limits,
      'in_flight_deliveries{attempt="first"}': '0x10 384x10 0x40',
      'in_flight_deliveries{attempt="retry"}': '100x60',
    });
    expect(await replay({ alert, series, firing: { '22m': [], '40m': [] } })).toBe(asExpected);
  });

  it('fires if reading of certificates is paused most of the time', async () => {
    const series = instance('a', {
      'paused_partitions{topic="certificates.completed",reason="window"}': `0x10 ${'1 1 0 '.repeat(16)}`,
    });
    const firing = { '12m': [], '45m': [{ resource: 'intake' }] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('adds up the reasons of a partition that is paused by several limits in turn', async () => {
    const series = instance('a', {
      'paused_partitions{topic="certificates.completed",reason="window"}': `0x10 ${'1 0 0 '.repeat(16)}`,
      'paused_partitions{topic="certificates.completed",reason="bytes"}': `0x10 ${'0 1 0 '.repeat(16)}`,
      'paused_partitions{topic="certificates.completed",reason="span"}': '0x60',
    });
    const firing = { '12m': [], '45m': [{ resource: 'intake' }] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('is quiet about partitions that wait for something that more capacity does not bring', async () => {
    const series = instance('a', {
      'paused_partitions{topic="certificates.completed",reason="schema"}': '6x60',
      'paused_partitions{topic="certificates.completed",reason="undecodable"}': '1x60',
      'paused_partitions{topic="certificates.expired",reason="transaction"}': '1x60',
      'paused_partitions{topic="certificates.expired",reason="joining"}': '1x60',
      'paused_partitions{topic="certificates.expired",reason="topic_missing"}': '1x60',
      'paused_partitions{topic="certificates.expired",reason="topic_denied"}': '1x60',
      'paused_partitions{topic="certificates.expired",reason="configurations"}': '1x60',
    });
    expect(await replay({ alert, series, firing: { '40m': [], '59m': [] } })).toBe(asExpected);
  });

  it('is quiet about paused retry topics, and about rare pauses of a certificate topic', async () => {
    const series = instance('a', {
      'paused_partitions{topic="certificate-webhooks.retry.24h",reason="records"}': '6x60',
      'paused_partitions{topic="certificates.completed",reason="window"}': '0 0 1 '.repeat(20),
    });
    expect(await replay({ alert, series, firing: { '40m': [], '59m': [] } })).toBe(asExpected);
  });

  it('fires if the event loop of an instance lags', async () => {
    const series = instance('a', { nodejs_eventloop_lag_p99_seconds: '0.8x60', build_info: '1x60' });
    expect(await replay({ alert, series, firing: { '20m': [{ resource: 'event loop' }] } })).toBe(asExpected);
  });

  it("is quiet about other programs' event loops, and about a small lag", async () => {
    const series = {
      ...instance('a', { nodejs_eventloop_lag_p99_seconds: '0.3x60', build_info: '1x60' }),
      'nodejs_eventloop_lag_p99_seconds{namespace="production",job="another",instance="a"}': '3x60',
    };
    expect(await replay({ alert, series, firing: { '20m': [], '60m': [] } })).toBe(asExpected);
  });
});
