import { describe, expect, it } from 'vitest';
import { needs } from '../../support/programs/needs.ts';
import { asExpected, instance, replay, type Series } from '../support/replay.ts';

describe('CertificateWebhooksNoConfigurations', needs('promtool'), () => {
  const alert = 'NoConfigurations';
  const page = [{ severity: 'page' }];

  it('fires if an instance reads certificates without any configuration', async () => {
    const series = {
      ...instance('a', configurations({ active: '12x10 0x20', assigned: '1x30' })),
      ...instance('b', configurations({ active: '12x30', assigned: '6x30' })),
    };
    expect(await replay({ alert, series, firing: { '10m': [], '13m': [], '16m': page } })).toBe(asExpected);
  });

  it('fires if all configurations are disabled', async () => {
    const series = instance('a', configurations({ active: '0x30', disabled: '12x30', assigned: '6x30' }));
    expect(await replay({ alert, series, firing: { '6m': page } })).toBe(asExpected);
  });

  it.each(['active', 'paused', 'invalid'])('is quiet while there is one that is %s', async (state) => {
    const series = instance('a', configurations({ active: '0x30', [state]: '1x30', assigned: '6x30' }));
    expect(await replay({ alert, series, firing: { '30m': [] } })).toBe(asExpected);
  });

  it('is quiet about an instance that waits for the configurations, or has no partitions', async () => {
    const series = {
      ...instance('a', configurations({ active: '0x30', assigned: '0x30' })),
      ...instance('b', configurations({ active: '12x30', assigned: '6x30' })),
    };
    expect(await replay({ alert, series, firing: { '30m': [] } })).toBe(asExpected);
  });
});

describe('CertificateWebhooksFewerConfigurations', needs('promtool'), () => {
  const alert = 'FewerConfigurations';
  const interval = '10m';
  const page = [{ severity: 'page' }];

  it('fires if half of the configurations are gone, until they are back', async () => {
    const series = instance('a', configurations({ active: '40x30 20x30 40x30', assigned: '6x90' }));
    const firing = { '300m': [], '340m': page, '600m': page, '650m': [] };
    expect(await replay({ alert, series, interval, firing })).toBe(asExpected);
  });

  it('fires if one of two instances lacks half of them', async () => {
    const series = {
      ...instance('a', configurations({ active: '40x90', assigned: '3x90' })),
      ...instance('b', configurations({ active: '40x30 20x60', assigned: '3x90' })),
    };
    expect(await replay({ alert, series, interval, firing: { '340m': page } })).toBe(asExpected);
  });

  it.each([
    { name: 'a few of many are removed', active: '40x30 32x60' },
    { name: 'some of a few are removed', active: '6x30 2x60' },
    { name: 'they are written for the first time', active: '0x10 40x80' },
    { name: 'half are gone for a moment', active: '40x30 20 40x60' },
  ])('is quiet if $name', async ({ active }) => {
    const series = instance('a', configurations({ active, assigned: '6x90' }));
    expect(await replay({ alert, series, interval, firing: quietAt(['310m', '320m', '340m', '400m', '900m']) })).toBe(
      asExpected,
    );
  });

  it('takes a number that has stayed for half a day as usual', async () => {
    const series = instance('a', configurations({ active: '40x144 20x84', assigned: '6x230' }));
    expect(await replay({ alert, series, interval, firing: { '30h': page, '38h': [] } })).toBe(asExpected);
  });

  it('is quiet about an instance that starts and has no partitions yet', async () => {
    const series = {
      ...instance('a', configurations({ active: '40x90', assigned: '6x90' })),
      ...instance('b', configurations({ active: '_x30 0x60', assigned: '_x30 0x60' })),
    };
    expect(await replay({ alert, series, interval, firing: quietAt(['340m', '600m']) })).toBe(asExpected);
  });
});

describe('CertificateWebhooksMoreUnclaimed', needs('promtool'), () => {
  const alert = 'MoreUnclaimed';
  const interval = '5m';
  const ticket = [{ severity: 'ticket' }];

  it('fires while half of the certificates are unclaimed', async () => {
    const series = instance('a', settled('0+50x72 3625+25x60 5150+50x60', '0x72 25+25x60 1525x60'));
    const firing = { '350m': [], '440m': ticket, '650m': ticket, '760m': [] };
    expect(await replay({ alert, series, interval, firing })).toBe(asExpected);
  });

  it('takes a share that has stayed for half a day as usual', async () => {
    const series = instance('a', settled('0+50x288 14425+25x168', '0x288 25+25x168'));
    expect(await replay({ alert, series, interval, firing: { '30h': ticket, '38h': [] } })).toBe(asExpected);
  });

  it('fires if half of the few that have a subscriber become unclaimed', async () => {
    const series = instance('a', settled('0+100x72 7250+50x60', '0+900x72 65750+950x60'));
    expect(await replay({ alert, series, interval, firing: { '350m': [], '450m': ticket } })).toBe(asExpected);
  });

  it.each([
    { name: 'most are always unclaimed', delivered: '0+10x140', unclaimed: '0+90x140' },
    { name: 'the share rises a little', delivered: '0+90x72 6560+80x60', unclaimed: '0+10x72 740+20x60' },
    { name: 'only a handful lack a subscriber', delivered: '0+1x72 72x60', unclaimed: '0x72 0+1x15 15x45' },
    { name: 'no certificates come', delivered: '0+50x72 3600x60', unclaimed: '0x140' },
  ])('is quiet if $name', async ({ delivered, unclaimed }) => {
    const series = instance('a', settled(delivered, unclaimed));
    expect(await replay({ alert, series, interval, firing: quietAt(['350m', '420m', '500m', '640m']) })).toBe(
      asExpected,
    );
  });
});

describe('CertificateWebhooksInvalidConfigurations', needs('promtool'), () => {
  const alert = 'InvalidConfigurations';

  it('fires while a configuration is rejected', async () => {
    const series = {
      ...instance('a', configurations({ active: '12x60', invalid: '0x10 1x30 0x20', assigned: '6x60' })),
      ...instance('b', configurations({ active: '12x60', assigned: '6x60' })),
    };
    const firing = { '20m': [], '26m': [{ severity: 'ticket' }], '42m': [] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('is quiet about one that is fixed soon', async () => {
    const series = instance('a', configurations({ active: '12x60', invalid: '0x10 1x10 0x40', assigned: '6x60' }));
    expect(await replay({ alert, series, firing: { '20m': [], '26m': [] } })).toBe(asExpected);
  });
});

describe.each([
  { alert: 'ReloadFailed', failures: 'configuration_reload_failures_total', labels: {} },
  {
    alert: 'SchemaRegistryFailing',
    failures: 'schema_registry_failures_total{kind="unreachable"}',
    labels: { kind: 'unreachable' },
  },
])('CertificateWebhooks$alert', needs('promtool'), ({ alert, failures, labels }) => {
  it('fires while it fails', async () => {
    const series = instance('a', { [failures]: '0x10 1+1x20 21x30' });
    const firing = { '18m': [], '22m': [{ severity: 'ticket', ...labels }], '38m': [] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('is quiet about what works again soon', async () => {
    const series = instance('a', { [failures]: '0x10 1 2x40' });
    expect(await replay({ alert, series, firing: { '18m': [], '22m': [], '40m': [] } })).toBe(asExpected);
  });
});

function quietAt(times: readonly string[]): Readonly<Record<string, readonly []>> {
  return Object.fromEntries(times.map((time) => [time, []]));
}

function settled(delivered: string, unclaimed: string): Series {
  return {
    'records_settled_total{topic="certificates.completed",result="delivered"}': delivered,
    'records_settled_total{topic="certificates.completed",result="unclaimed"}': unclaimed,
    // Retries are settled in other topics, and must not count.
    'records_settled_total{topic="certificate-webhooks.retry.10s",result="delivered"}': '0+1000x500',
  };
}

function configurations({ assigned, ...states }: Readonly<Record<string, string>>): Series {
  const counts = Object.entries({ paused: '0x60', disabled: '0x60', invalid: '0x60', ...states });
  return {
    ...Object.fromEntries(counts.map(([state, values]) => [`webhook_configurations{state="${state}"}`, values])),
    'assigned_partitions{topic="certificates.completed"}': assigned ?? '',
    'assigned_partitions{topic="certificate-webhooks.retry.10s"}': '6x60',
  };
}
