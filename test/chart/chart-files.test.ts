import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { chartFiles, readChartFile } from '../../helm/generate/chart-files.ts';
import { readValues, type Value } from '../../helm/generate/values-file.ts';

describe('the chart', () => {
  it.each(Object.entries(chartFiles()))('has %s as `npm run generate:chart` writes it', (path, text) => {
    expect(readChartFile(path)).toBe(text);
  });

  it('has the version of the service', () => {
    expect(parse(readChartFile('Chart.yaml'))).toMatchObject({ appVersion: packageJson.version });
  });

  it('describes every value', () => {
    const undescribedValues = readValues(readChartFile('values.yaml'))
      .flatMap(({ values }) => values)
      .flatMap((value) => undescribed(value, ''));
    expect(undescribedValues).toEqual([]);
  });
});

function undescribed({ name, description, members }: Value, parent: string): readonly string[] {
  const path = `${parent}${name}`;
  if (members.length > 0) return members.flatMap((member) => undescribed(member, `${path}.`));
  return description === '' ? [path] : [];
}
