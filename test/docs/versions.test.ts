import { expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { kafkaVersions } from '../kafka/versions/kafka-versions.ts';
import { readText } from '../support/files/sources.ts';
import { helmVersions } from '../support/helm/tools.ts';
import { kafkaVersion } from '../support/kafka/cluster/distribution.ts';

const operations = readText('docs/operations.md');
const chart = parse(readText('helm/certificate-webhooks/Chart.yaml')) as Readonly<Record<string, string>>;

/** Returns the cells of a program in the table of supported versions. */
function row(program: string): string {
  return operations.split('\n').find((line) => line.startsWith(`| ${program} `)) ?? '';
}

it('the supported versions of Kafka are those that are tested', () => {
  const versions = row('Kafka').match(/\d+\.\d+\.\d+/g) ?? [];
  expect(versions).toEqual([...kafkaVersions, kafkaVersion]);
  const minor = (version: string | undefined) => version?.replace(/\.\d+$/, '');
  expect(row('Kafka')).toContain(`${minor(kafkaVersions[0])} to ${minor(kafkaVersions.at(-1))}`);
});

it('the supported versions of Kubernetes, Helm and Node are those of the chart, the tests and the image', () => {
  expect(chart['kubeVersion']).toBe(`>=${/(\d+\.\d+) or later/.exec(row('Kubernetes'))?.[1]}.0-0`);
  for (const version of helmVersions) expect(row('Helm')).toContain(version.replace('helm-', ''));
  expect(row('Node')).toContain(packageJson.devDependencies.node);
});

it('the newest release in the changelog is the version of the package and of the chart, with its date', () => {
  const [, version] = /^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$/m.exec(readText('CHANGELOG.md')) ?? [];
  expect([version, chart['appVersion']]).toEqual([packageJson.version, packageJson.version]);
});
