import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../support/files/sources.ts';
import { networksData, settingsData } from './chart-data.ts';
import { alertDefinition, alertsDefinition, definitions } from './definitions.ts';
import { withValueTables } from './readme.ts';
import { settingsDefinitions } from './settings-schema.ts';
import { readValues } from './values-file.ts';
import { valuesSchema } from './values-schema.ts';

export const chartFolder = join(root, 'helm/certificate-webhooks');

/** Returns the generated files of the chart, by path in its folder. */
export function chartFiles(): Readonly<Record<string, string>> {
  const sections = readValues(readChartFile('values.yaml'));
  const alerts = { alert: alertDefinition, alerts: alertsDefinition(alertNames()) };
  return {
    'data/defaults.json': json(parse(readChartFile('values.yaml'))),
    'data/settings.json': json(settingsData()),
    'data/networks.json': json(networksData()),
    'values.schema.json': json(valuesSchema(sections, { ...definitions, ...alerts, ...settingsDefinitions() })),
    'README.md': withValueTables(readChartFile('README.md'), sections),
  };
}

export function readChartFile(path: string): string {
  return readFileSync(join(chartFolder, path), 'utf8');
}

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly { readonly alert?: string }[] }[];
}

function alertNames(): readonly string[] {
  return globSync('rules/*.yaml', { cwd: chartFolder })
    .toSorted()
    .map((path) => parse(readChartFile(path)) as RuleFile)
    .flatMap(({ groups }) => groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? [])));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
