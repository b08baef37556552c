import { describe, expect, it } from 'vitest';
import { needs } from '../../support/programs/needs.ts';
import { asExpected, instance, replay } from '../support/replay.ts';

describe('CertificateWebhooksHandoffFailing', needs('promtool'), () => {
  const alert = 'HandoffFailing';
  const failures = 'handoff_failures_total{kind="retry"}';

  it('fires if writes keep failing', async () => {
    const series = instance('a', { [failures]: '0x10 1+1x30', 'handoff_failures_total{kind="dead_letter"}': '0x40' });
    expect(await replay({ alert, series, firing: { '20m': [], '24m': [{ kind: 'retry' }] } })).toBe(asExpected);
  });

  it('is quiet during a rolling restart of the brokers', async () => {
    const series = instance('a', { [failures]: '0x10 12x4 30x4 41x30' });
    expect(await replay({ alert, series, firing: { '15m': [], '20m': [], '25m': [], '30m': [] } })).toBe(asExpected);
  });
});

describe('CertificateWebhooksRebalanceStorm', needs('promtool'), () => {
  const alert = 'RebalanceStorm';

  it('fires if an instance keeps joining its groups again', async () => {
    const series = {
      ...instance('a', { rebalances_total: '2+1x90' }),
      ...instance('b', { rebalances_total: '2x90' }),
    };
    expect(await replay({ alert, series, firing: { '30m': [], '50m': [{ severity: 'ticket' }] } })).toBe(asExpected);
  });

  it('is quiet during a rollout with many instances', async () => {
    const series = {
      ...instance('a', { rebalances_total: '2x10 3+2x20 43x60' }),
      ...instance('b', { rebalances_total: '_x20 2+2x10 22x60' }),
    };
    expect(await replay({ alert, series, firing: { '30m': [], '45m': [], '60m': [], '80m': [] } })).toBe(asExpected);
  });
});
