import { beforeAll, describe, expect, it } from 'vitest';
import { asExpected, instance, replay } from '../observability/support/replay.ts';
import type { ShippedGroup } from '../observability/support/shipped.ts';
import { template } from '../support/helm/helm.ts';
import { downloadTools } from '../support/helm/tools.ts';
import { onlyOf, parseManifests } from '../support/kubernetes/manifests.ts';
import { needs } from '../support/programs/needs.ts';

beforeAll(downloadTools, 300_000);

const values = {
  settings: { KAFKA_BROKERS: 'kafka:9092' },
  serviceMonitor: { enabled: true },
  prometheusRule: { enabled: true },
};

/** Returns the rules of a release, and the job that its monitor gives to the samples. */
async function monitored(release: string): Promise<{ readonly groups: readonly ShippedGroup[]; readonly job: string }> {
  const manifests = parseManifests(await template(values, { release, namespace: 'production' }));
  const [endpoint] = onlyOf(manifests, 'ServiceMonitor').spec.endpoints;
  const job = endpoint?.relabelings?.find(({ targetLabel }) => targetLabel === 'job')?.replacement ?? '';
  return { groups: onlyOf(manifests, 'PrometheusRule').spec.groups as readonly ShippedGroup[], job };
}

describe('of two releases in one namespace', needs('helm', 'promtool'), () => {
  it('the one whose pods are gone alerts, and the other one does not', async () => {
    const [blue, green] = [await monitored('blue'), await monitored('green')];
    const series = {
      ...instance('a', { build_info: '1x10' }, blue.job),
      ...instance('b', { build_info: '1x40' }, green.job),
    };
    const absent = { alert: 'Absent', series };
    const page = [{ severity: 'page', job: blue.job }];
    expect(await replay({ ...absent, groups: blue.groups, firing: { '18m': [], '22m': page } })).toBe(asExpected);
    expect(await replay({ ...absent, groups: green.groups, firing: { '22m': [], '40m': [] } })).toBe(asExpected);
  });

  it('the one that reads nothing alerts, although the other one reads the same topic', async () => {
    const [blue, green] = [await monitored('blue'), await monitored('green')];
    const topic = 'certificates.completed';
    const reading = (settled: string, lag: string): Record<string, string> => ({
      [`records_settled_total{topic="${topic}",result="delivered"}`]: settled,
      [`consumer_lag_records{topic="${topic}",partition="0"}`]: lag,
      [`assigned_partitions{topic="${topic}"}`]: '1x30',
    });
    const series = {
      ...instance('a', reading('0x30', '3x30'), blue.job),
      ...instance('b', reading('0+100x30', '0x30'), green.job),
    };
    const stuck = { alert: 'NotSettling', series };
    const page = [{ topic, job: blue.job }];
    expect(await replay({ ...stuck, groups: blue.groups, firing: { '16m': page } })).toBe(asExpected);
    expect(await replay({ ...stuck, groups: green.groups, firing: { '16m': [] } })).toBe(asExpected);
  });
});
