import { describe, expect, it } from 'vitest';
import { knownNames, variableEntries } from '../../src/settings/variables.ts';
import { createMetrics } from '../../src/telemetry/metrics/metrics.ts';
import { readText } from '../support/files/sources.ts';
import { logEvents } from './support/log-events.ts';
import { readPage, readPages, type Page } from './support/page.ts';

const setting =
  /\b(?:KAFKA|CERTIFICATE|SCHEMA_REGISTRY|WEBHOOK|INTAKE|RETRY|DEAD_LETTER|HANDOFF|DELIVERY|CIRCUIT|HTTP|LOG|SHUTDOWN)_[A-Z_]*[A-Z]\b/g;
/** Variables of other programs, which this service ignores. */
const foreign = ['HTTP_PROXY'];

const topics = { certificateTopics: ['certificates.completed'], tiers: [{ topic: 'retry.10s', label: '10s' }] };
const exposition = await createMetrics({ version: 'test', ...topics }).render();
const families = new Set(
  [...exposition.matchAll(/^# TYPE (?<name>\S+)/gm)].map(({ groups }) => groups?.['name'] ?? ''),
);

const resultTypes = [...readText('docs/schemas/result.schema.json').matchAll(/"const": "(?<type>[a-z_.]+)"/g)].map(
  ({ groups }) => groups?.['type'] ?? '',
);

describe.each(readPages().map((page) => [page.path, page] as const))('%s', (_path, page) => {
  it('names settings that exist', () => {
    const named = codeOf(page).flatMap((code) => code.match(setting) ?? []);
    expect(named.filter((name) => ![...knownNames, ...foreign].includes(name))).toEqual([]);
  });

  it('gives the right defaults of settings', () => {
    const rows = page.tables.filter(([head]) => head?.[0] === 'Variable' && head[1] === 'Default').flat();
    expect(rows.flatMap(wrongDefault)).toEqual([]);
  });

  it('names metrics that exist, with labels that they have', () => {
    const named = codeOf(page).flatMap((code) => code.match(/(?<![:\w])(?:certificate_webhooks|nodejs)_\w+/g) ?? []);
    const missing = named.filter((name) => !isFamily(name));
    const selectors = codeOf(page).flatMap(
      (code) => code.match(/(?<![:\w])certificate_webhooks_\w+\{\w+="\w+"\}/g) ?? [],
    );
    expect([...missing, ...selectors.filter((selector) => !isSeries(selector))]).toEqual([]);
  });

  it('names log events and types of results that exist', () => {
    const nouns = new Set(logEvents.map(({ event }) => event.split('.')[0]));
    const named = page.code.filter((code) => /^[a-z_]+\.[a-z_]+$/.test(code) && nouns.has(code.split('.')[0]));
    const known = new Set([...logEvents.map(({ event }) => event), ...resultTypes]);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('the list of log events', () => {
  const rows = readPage('docs/operations.md')
    .tables.filter(([head]) => head?.[0] === '`event`' && head[1] === 'Level')
    .flatMap(([, ...events]) => events)
    .map(([event = '', level = '']) => ({ event: event.replace(/^`(.*)`.*$/, '$1'), level }));

  it('has every event that the service logs, once, and no other', () => {
    const written = new Set(logEvents.map(({ event }) => event));
    expect(rows.map(({ event }) => event).toSorted()).toEqual([...written].toSorted());
  });

  it('gives the level of each event', () => {
    const wrong = rows.filter(({ event, level }) => {
      const levels = logEvents.flatMap((one) => (one.event === event ? (one.level ?? []) : []));
      return levels.some((one) => one !== level);
    });
    expect(wrong).toEqual([]);
  });
});

function codeOf({ code, blocks }: Page): readonly string[] {
  return [...code, ...blocks.map(({ text }) => text)];
}

/** Checks cells that hold a value and nothing else. */
function wrongDefault([name = '', standard = '']: readonly string[]): readonly string[] {
  const [, value] = /^`([^`]+)`$/.exec(standard) ?? [];
  const variable = variableEntries.find(([one]) => `\`${one}\`` === name)?.[1];
  if (variable === undefined || value === undefined) return [];
  return variable.default === value ? [] : [`${name} is ${variable.default ?? 'none'}, not ${value}`];
}

function isFamily(name: string): boolean {
  return (
    families.has(name) || families.has(name.replace(/_(?:bucket|sum|count)$/, '')) || name === 'certificate_webhooks_'
  );
}

/** Returns whether the series exists at start, as all series with known labels do. */
function isSeries(selector: string): boolean {
  const [name, label = ''] = selector.slice(0, -1).split('{');
  return exposition.split('\n').some((line) => line.startsWith(`${name}{`) && line.includes(label));
}
