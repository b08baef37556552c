import { describe, expect, it } from 'vitest';
import { needs } from '../../support/programs/needs.ts';
import { asExpected, instance, replay, type Series } from '../support/replay.ts';

const ticket = [{ severity: 'ticket' }];

describe('CertificateWebhooksMixedVersions', needs('promtool'), () => {
  const alert = 'MixedVersions';

  it('fires while two versions run for longer than an hour', async () => {
    const series = { ...version('a', '1.0.0', '1x200'), ...version('b', '1.1.0', '_x20 1x99 stale') };
    expect(await replay({ alert, series, firing: { '75m': [], '85m': ticket, '125m': [] } })).toBe(asExpected);
  });

  it('is quiet during a roll-out of half an hour, and about instances of one version', async () => {
    const series = {
      ...version('a', '1.0.0', '1x50 stale'),
      ...version('b', '1.1.0', '_x20 1x180'),
      ...version('c', '1.1.0', '_x50 1x150'),
    };
    expect(await replay({ alert, series, firing: { '40m': [], '90m': [], '180m': [] } })).toBe(asExpected);
  });
});

describe('CertificateWebhooksRollOutStuck', needs('promtool'), () => {
  const alert = 'RollOutStuck';
  const deployment = 'example-certificate-webhooks';

  it('fires while the Deployment makes no progress', async () => {
    const series = progressing(deployment, { true: '1x20 0x20 1x20', false: '0x20 1x20 0x20' });
    const firing = { '22m': [], '27m': [{ deployment, severity: 'ticket' }], '43m': [] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('is quiet about other Deployments, and about one that makes progress', async () => {
    const series = {
      ...progressing('another', { true: '0x40', false: '1x40' }),
      ...progressing(deployment, { true: '1x40', false: '0x40' }),
    };
    expect(await replay({ alert, series, firing: { '20m': [], '40m': [] } })).toBe(asExpected);
  });
});

function version(name: string, text: string, values: string): Series {
  return instance(name, { [`build_info{version="${text}",node_version="v24.0.0"}`]: values });
}

/** Returns the series of kube-state-metrics about the condition `Progressing` by its status. */
function progressing(deployment: string, statuses: Series): Series {
  const common = `namespace="production",job="kube-state-metrics",deployment="${deployment}",condition="Progressing"`;
  return Object.fromEntries(
    Object.entries(statuses).map(([status, values]) => [
      `kube_deployment_status_condition{${common},status="${status}"}`,
      values,
    ]),
  );
}
