import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { alertName } from '../observability/rules/rule.ts';
import { alerts as alertGroups } from '../observability/rules/rule-files.ts';
import { networksData, settingsData } from './chart-data.ts';
import { alertDefinition, alertsDefinition, definitions } from './definitions.ts';
import { withValueTables } from './readme.ts';
import { settingsDefinitions } from './settings-schema.ts';
import { readValues } from './values-file.ts';
import { valuesSchema } from './values-schema.ts';

export const chartFolder = join(import.meta.dirname, '..', 'certificate-webhooks');

/** Returns the generated files of the chart, by path in its folder. */
export function chartFiles(): Readonly<Record<string, string>> {
  const sections = readValues(readChartFile('values.yaml'));
  const alertNames = Object.values(alertGroups).flat().map(alertName);
  const alerts = { alert: alertDefinition, alerts: alertsDefinition(alertNames) };
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

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
