import { beforeAll, describe, expect, it } from 'vitest';
import { downloadTools } from '../support/helm/tools.ts';
import { notes, type Values } from '../support/helm/helm.ts';
import { needs } from '../support/programs/needs.ts';
import { cases } from './cases.ts';

beforeAll(downloadTools, 300_000);

const settings = { KAFKA_BROKERS: 'kafka:9092' };

describe('whoever has installed the chart', needs('helm'), () => {
  it.each(Object.entries<Values>(cases))(
    'is told what to do next, without gaps and placeholders: %s',
    async (_about, values) => {
      const text = await notes(values);
      expect(text).toContain('kubectl -n learning rollout status deployment/');
      expect(text).not.toMatch(/<no value>|%!|\{\{|map\[|\n{4}/);
    },
  );

  it.each<[about: string, values: Values, words: string]>([
    ['that it has to be said where to begin', { settings }, 'settings.CERTIFICATE_START=latest'],
    ['how to see what the job for the topics does', { settings, topicsJob: { enabled: true } }, 'component=topics'],
    ['that nobody makes the topics', { settings }, 'topicsJob.enabled or strimzi.enabled'],
    ['that topics outlive the release', { settings, strimzi: { enabled: true, cluster: 'kafka' } }, 'KafkaTopic'],
    ['that Kafka is spoken to in clear', { settings }, 'KAFKA_TLS is not true'],
    ['that nothing scrapes it', { settings }, 'serviceMonitor.enabled'],
    ['that one pod is no pod while it moves', { settings, replicas: 1 }, 'one pod only'],
  ])('is told %s', async (_about, values, words) => {
    expect(await notes(values)).toContain(words);
  });

  it('is not told what does not matter', async () => {
    const calm = {
      settings: { ...settings, CERTIFICATE_START: 'latest', KAFKA_TLS: true },
      topicsJob: { enabled: true },
      podMonitor: { enabled: true },
      replicas: 3,
    };
    const text = await notes(calm);
    expect(text).not.toMatch(
      /CERTIFICATE_START is not set|KAFKA_TLS is not true|Nothing scrapes|Nobody makes|one pod only/,
    );
  });
});
