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

describe('CertificateWebhooksReloadFailed', needs('promtool'), () => {
  const alert = 'ReloadFailed';
  const failures = 'configuration_reload_failures_total';

  it('fires while files cannot be read', async () => {
    const series = instance('a', { [failures]: '0x10 1+1x20 21x30' });
    const firing = { '18m': [], '22m': [{ severity: 'ticket' }], '38m': [] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('is quiet about files that are fixed soon', async () => {
    const series = instance('a', { [failures]: '0x10 1 2x40' });
    expect(await replay({ alert, series, firing: { '18m': [], '22m': [], '40m': [] } })).toBe(asExpected);
  });
});

describe('CertificateWebhooksSchemaRegistryFailing', needs('promtool'), () => {
  const alert = 'SchemaRegistryFailing';
  const failures = 'schema_registry_failures_total{kind="unreachable"}';

  it('fires while the registry is unreachable', async () => {
    const series = instance('a', { [failures]: '0x10 1+1x20 21x30' });
    const firing = { '18m': [], '22m': [{ severity: 'ticket', kind: 'unreachable' }], '38m': [] };
    expect(await replay({ alert, series, firing })).toBe(asExpected);
  });

  it('is quiet about a short outage', async () => {
    const series = instance('a', { [failures]: '0x10 1 2x40' });
    expect(await replay({ alert, series, firing: { '18m': [], '22m': [], '40m': [] } })).toBe(asExpected);
  });
});

function configurations({ assigned, ...states }: Readonly<Record<string, string>>): Series {
  const counts = Object.entries({ paused: '0x60', disabled: '0x60', invalid: '0x60', ...states });
  return {
    ...Object.fromEntries(counts.map(([state, values]) => [`webhook_configurations{state="${state}"}`, values])),
    'assigned_partitions{topic="certificates.completed"}': assigned ?? '',
    'assigned_partitions{topic="certificate-webhooks.retry.10s"}': '6x60',
  };
}
