import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chartFolder, type Values } from '../support/helm/helm.ts';
import type { Kinds } from '../support/kubernetes/kinds.ts';
import { allOf, onlyOf } from '../support/kubernetes/manifests.ts';
import { selects } from '../support/kubernetes/pods.ts';
import { needs } from '../support/programs/needs.ts';
import { deploy } from './deployed.ts';

const settings = { KAFKA_BROKERS: 'kafka:9092' };

type Group = NonNullable<Kinds['PrometheusRule']['spec']['groups']>[number];
type Rule = NonNullable<Group['rules']>[number];

/** The longest uid that Grafana takes. */
const longestUid = 40;

const files = (pattern: string): readonly string[] => globSync(pattern, { cwd: chartFolder }).toSorted();
const read = (path: string): string => readFileSync(join(chartFolder, path), 'utf8');
const groupsInFiles = files('rules/*.yaml').flatMap(
  (path) => (parse(read(path)) as { readonly groups: readonly Group[] }).groups,
);

async function rules(prometheusRule: Values): Promise<readonly Rule[]> {
  return (await groups(prometheusRule)).flatMap((group) => group.rules ?? []);
}

async function groups(prometheusRule: Values, more: Values = {}): Promise<readonly Group[]> {
  const { manifests } = await deploy({ settings, prometheusRule: { enabled: true, ...prometheusRule }, ...more });
  return onlyOf(manifests, 'PrometheusRule').spec.groups ?? [];
}

function alertIn(all: readonly Rule[], name: string): Rule | undefined {
  return all.find(({ alert }) => alert === name);
}

describe('the rules', needs('helm'), () => {
  it('are those of the files, if the values do not change them', async () => {
    expect(groupsInFiles.length).toBeGreaterThan(1);
    expect(await groups({ namespaced: false })).toEqual(groupsInFiles);
  });

  it.each<[about: string, more: Values, job: string]>([
    ['with a ServiceMonitor', { serviceMonitor: { enabled: true } }, 'job="hooks-certificate-webhooks"'],
    ['with a PodMonitor', { podMonitor: { enabled: true } }, 'job="hooks-certificate-webhooks"'],
    ['of any job without a monitor of the chart', {}, 'job=~".*"'],
  ])('select only the namespace, the Deployment and the job of the release, %s', async (_about, more, job) => {
    const found = (await groups({}, more)).flatMap(({ rules: some }) => some ?? []);
    const { manifests } = await deploy({ settings });
    const workload = onlyOf(manifests, 'Deployment').metadata?.name ?? '';
    const wanted = groupsInFiles.flatMap((group) => group.rules ?? []);
    expect(found.map(({ expr }) => expr)).toEqual(
      wanted.map(({ expr }) =>
        String(expr)
          .replaceAll('namespace=~".*"', 'namespace="learning"')
          .replaceAll('deployment=~".*certificate-webhooks.*"', `deployment="${workload}"`)
          .replaceAll('job=~".*"', job),
      ),
    );
    expect(alertIn(found, 'CertificateWebhooksRollOutStuck')?.expr).toContain(`deployment="${workload}"`);
  });

  it('have your severities, interval and time to keep firing', async () => {
    const alerts = {
      CertificateWebhooksAbsent: { keepFiringFor: '15m' },
      CertificateWebhooksDeadLetters: { severity: 'info' },
    };
    const prometheusRule = { interval: '1m', severities: { page: 'critical' }, alerts };
    expect(new Set((await groups(prometheusRule)).map(({ interval }) => interval))).toEqual(new Set(['1m']));
    const found = await rules(prometheusRule);
    const absent = { labels: { severity: 'critical' }, keep_firing_for: '15m' };
    expect(alertIn(found, 'CertificateWebhooksAbsent')).toMatchObject(absent);
    expect(alertIn(found, 'CertificateWebhooksDeadLetters')?.labels).toMatchObject({ severity: 'info' });
    const before = (await rules({})).map(({ labels }) => labels?.['severity']);
    const expected = before.map((severity) => (severity === 'page' ? 'critical' : severity));
    const others = found.filter(({ alert }) => alert !== 'CertificateWebhooksDeadLetters').length;
    expect(found.filter(({ labels }, index) => labels?.['severity'] === expected[index])).toHaveLength(others);
  });

  it('can be changed one by one', async () => {
    const name = 'CertificateWebhooksRebalanceStorm';
    const other = 'CertificateWebhooksDeadLetters';
    const change = {
      for: '1h',
      severity: 'page',
      threshold: 12.5,
      labels: { area: 'kafka' },
      annotations: { summary: 'Stormy.' },
    };
    const before = await rules({});
    const after = await rules({ alertLabels: { team: 'learning' }, alerts: { [name]: change } });
    const [was, is] = [alertIn(before, name), alertIn(after, name)];
    expect(is).toEqual({
      ...was,
      for: '1h',
      expr: String(was?.expr).replace('> 5 # threshold', '> 12.5 # threshold'),
      labels: { ...was?.labels, severity: 'page', team: 'learning', area: 'kafka' },
      annotations: { ...was?.annotations, summary: 'Stormy.' },
    });
    expect(is?.expr).not.toBe(was?.expr);
    const untouched = alertIn(before, other);
    expect(alertIn(after, other)).toEqual({ ...untouched, labels: { ...untouched?.labels, team: 'learning' } });
  });

  it.each([0, 1, 0.05, 1_000_000, 12_345_678])('keep a threshold of %d unchanged', async (threshold) => {
    const found = await rules({ alerts: { CertificateWebhooksRebalanceStorm: { threshold } } });
    expect(alertIn(found, 'CertificateWebhooksRebalanceStorm')?.expr).toContain(`> ${threshold} # threshold`);
  });

  it('can be turned off one by one', async () => {
    const [before, after] = [
      await rules({}),
      await rules({ alerts: { CertificateWebhooksAbsent: { enabled: false }, CertificateWebhooksDeadLetters: {} } }),
    ];
    expect(after).toEqual(before.filter(({ alert }) => alert !== 'CertificateWebhooksAbsent'));
  });

  it('link to the runbook', async () => {
    const found = await rules({ runbookUrl: 'https://example.com/webhooks/' });
    for (const { alert, annotations } of found.filter((rule) => rule.alert !== undefined)) {
      expect(annotations?.['runbook_url']).toBe(
        `https://example.com/webhooks/docs/operations.md#${alert?.toLowerCase()}`,
      );
    }
  });
});

describe('the dashboards', needs('helm'), () => {
  it('are copied, each into a ConfigMap that the sidecar finds', async () => {
    const { manifests } = await deploy({ settings, dashboards: { enabled: true } });
    const maps = allOf(manifests, 'ConfigMap');
    const found = maps.flatMap(({ data = {} }) => Object.entries(data));
    const titles = /("title": "Certificate webhooks \/ [^"]+)/;
    for (const [index, path] of files('dashboards/*.json').entries()) {
      const [name = '', text] = found[index] ?? [];
      const [uid, own] = [basename(path, '.json'), basename(name, '.json')];
      expect(own).toMatch(new RegExp(`^${uid}-[0-9a-f]{8}$`));
      expect(own.length).toBeLessThanOrEqual(longestUid);
      const renamed = read(path).replace(`"uid": "${uid}"`, `"uid": "${own}"`);
      expect(text).toBe(renamed.replace(titles, '$1 (learning/hooks-certificate-webhooks)'));
    }
    expect(maps.length).toBeGreaterThan(1);
    for (const { metadata } of maps) {
      expect(metadata?.labels).toMatchObject({ grafana_dashboard: '1' });
      expect(metadata?.annotations).toEqual({ grafana_folder: 'Certificate webhooks' });
    }
  });

  it('of two releases share no file name and no uid', async () => {
    const namesOf = async (more: Values): Promise<readonly string[]> => {
      const { manifests } = await deploy({ settings, dashboards: { enabled: true }, ...more });
      const texts = allOf(manifests, 'ConfigMap').flatMap(({ data = {} }) => Object.entries(data));
      return texts.flatMap(([name, text]) => [name, /"uid": "(certificate-webhooks-[^"]+)"/.exec(text)?.[1] ?? '']);
    };
    const both = [...(await namesOf({})), ...(await namesOf({ fullnameOverride: 'others' }))];
    expect(new Set(both).size).toBe(both.length);
  });

  it('can be in another namespace and without the default label', async () => {
    const dashboards = { enabled: true, namespace: 'monitoring', labels: { grafana_dashboard: null, dash: 'yes' } };
    const { manifests } = await deploy({ settings, dashboards });
    for (const { metadata } of allOf(manifests, 'ConfigMap')) {
      expect(metadata?.namespace).toBe('monitoring');
      expect(metadata?.labels).toMatchObject({ dash: 'yes' });
      expect(metadata?.labels).not.toHaveProperty('grafana_dashboard');
    }
  });
});

describe('Prometheus', needs('helm'), () => {
  const monitored = { namespace: 'monitoring', labels: { release: 'prometheus' }, relabelings: [{ action: 'drop' }] };

  it.each(['serviceMonitor', 'podMonitor'])('gives the samples the job of the release: %s', async (monitor) => {
    const { manifests, deployment } = await deploy({ settings, [monitor]: { enabled: true } });
    const [service] = allOf(manifests, 'ServiceMonitor').flatMap(({ spec }) => spec.endpoints);
    const [pod] = allOf(manifests, 'PodMonitor').flatMap(({ spec }) => spec.podMetricsEndpoints ?? []);
    const replacement = deployment.metadata?.name;
    expect((service ?? pod)?.relabelings).toEqual([{ targetLabel: 'job', replacement }]);
  });

  it('finds the pods by the Service, also from another namespace', async () => {
    const { manifests } = await deploy({ settings, serviceMonitor: { ...monitored, enabled: true } });
    const [monitor, service] = [onlyOf(manifests, 'ServiceMonitor'), onlyOf(manifests, 'Service')];
    expect(monitor.metadata).toMatchObject({ namespace: 'monitoring', labels: { release: 'prometheus' } });
    expect(monitor.spec.namespaceSelector).toEqual({ matchNames: [service.metadata?.namespace] });
    expect(selects(monitor.spec.selector.matchLabels, service.metadata?.labels)).toBe(true);
    expect(monitor.spec.endpoints).toMatchObject([
      { port: 'http', path: '/metrics', relabelings: [{ targetLabel: 'job' }, { action: 'drop' }] },
    ]);
    expect(service.spec?.ports?.map(({ name }) => name)).toEqual(['http']);
  });

  it('scrapes with TLS, a scrape class and labels of the target where they are chosen', async () => {
    const secured = { scheme: 'https', tlsConfig: { insecureSkipVerify: true } };
    const serviceMonitor = { ...monitored, ...secured, scrapeClass: 'mesh', targetLabels: ['team'] };
    const byService = await deploy({ settings, serviceMonitor: { ...serviceMonitor, enabled: true } });
    expect(onlyOf(byService.manifests, 'ServiceMonitor').spec).toMatchObject({
      scrapeClass: 'mesh',
      targetLabels: ['team'],
      endpoints: [secured],
    });
    const byPod = await deploy({ settings, serviceMonitor, podMonitor: { enabled: true } });
    expect(onlyOf(byPod.manifests, 'PodMonitor').spec).toMatchObject({
      scrapeClass: 'mesh',
      podTargetLabels: ['team'],
      podMetricsEndpoints: [secured],
    });
  });

  it('has a Service with the families of addresses that are chosen', async () => {
    const service = { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] };
    const { manifests } = await deploy({ settings, service });
    expect(onlyOf(manifests, 'Service')).toMatchObject({ spec: service });
  });

  it('finds the pods without the Service', async () => {
    const { manifests, deployment, pods } = await deploy({
      settings,
      podMonitor: { enabled: true },
      serviceMonitor: monitored,
    });
    const { metadata, spec } = onlyOf(manifests, 'PodMonitor');
    expect(metadata).toMatchObject({ namespace: 'monitoring', labels: { release: 'prometheus' } });
    expect(spec.namespaceSelector).toEqual({ matchNames: [deployment.metadata?.namespace] });
    expect(selects(spec.selector.matchLabels, pods.labels)).toBe(true);
    expect(spec.podMetricsEndpoints).toMatchObject([
      { port: 'http', path: '/metrics', relabelings: [{ targetLabel: 'job' }, { action: 'drop' }] },
    ]);
    expect(pods.container.ports?.map(({ name }) => name)).toEqual(['http']);
    expect(allOf(manifests, 'ServiceMonitor')).toEqual([]);
  });
});
