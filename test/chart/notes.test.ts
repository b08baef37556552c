import { describe, expect, it } from 'vitest';
import { notes, type Values } from '../support/helm/helm.ts';
import { needs } from '../support/programs/needs.ts';
import { cases } from './cases.ts';

const settings = { KAFKA_BROKERS: 'kafka:9092' };
const peer = { ipBlock: { cidr: '10.1.0.0/16' } };

describe('the notes after an installation', needs('helm'), () => {
  it.each(Object.entries<Values>(cases))(
    'say what to do next, without gaps and placeholders: %s',
    async (_about, values) => {
      const text = await notes(values);
      expect(text).toContain('kubectl -n learning rollout status deployment/');
      expect(text).not.toMatch(/<no value>|%!|\{\{|map\[|\n{4}/);
    },
  );

  it('say what is missing in what applies', async () => {
    const values = { settings, replicas: 1, networkPolicy: { enabled: true } };
    const words = [
      'settings.CERTIFICATE_START=latest',
      'topicsJob.enabled or strimzi.enabled',
      'KAFKA_TLS is not true',
      'serviceMonitor.enabled',
      'networkPolicy.kafka.to           the brokers',
      'only one pod',
    ];
    const text = await notes(values);
    expect(words.filter((each) => !text.includes(each))).toEqual([]);
  });

  it.each([
    [{ serviceMonitor: { enabled: true }, prometheusRule: { enabled: true } }, 'prometheusRule serviceMonitor'],
    [{ podMonitor: { enabled: true } }, 'serviceMonitor'],
    [{ serviceMonitor: { enabled: true, labels: { release: 'stack' } } }, ''],
  ])('name what the Prometheus of kube-prometheus-stack takes no notice of: %j', async (values, expected) => {
    const named = (await notes({ settings, ...values })).matchAll(/(\w+)\.labels\.release/g);
    expect([...named].map(([, name]) => name).join(' ')).toBe(expected);
  });

  it('do not say what does not apply', async () => {
    const complete = {
      settings: { ...settings, CERTIFICATE_START: 'latest', KAFKA_TLS: true },
      topicsJob: { enabled: true },
      podMonitor: { enabled: true },
      networkPolicy: { enabled: true, kafka: { to: [peer] } },
      replicas: 3,
    };
    const text = await notes(complete);
    expect(text).not.toMatch(
      /CERTIFICATE_START is not set|KAFKA_TLS is not true|Nothing scrapes|Nothing creates|does not let|only one pod/,
    );
  });
});
