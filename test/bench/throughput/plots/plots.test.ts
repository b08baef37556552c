import { expect, it } from 'vitest';
import { aResult, cpu } from '../results/builders.ts';
import { figuresOf } from '../results/figures.ts';
import { costPlot } from './cost.ts';
import { draw } from './draw.ts';
import { plots } from './plots.ts';
import { colours } from './style.ts';
import { targetsPlot } from './targets.ts';

const targets = [
  { what: 'CPU over both', atMost: 1.6, value: () => 1.2 },
  { what: 'p99 in ms', atMost: 3, value: () => 4.5 },
  { what: 'p50 in ms', atMost: 3, value: () => Number.NaN },
];
const scenarios = [
  aResult({ 'the service': cpu(2, 1, 4), 'undici alone': cpu(1), 'kafkajs alone': cpu(0.5) }, { targets }),
  aResult({ '1 partition': cpu(3), '100 partitions': cpu(5) }, { name: 'partitions', title: 'More partitions' }),
  aResult({ 'the service': [{ cores: 0.01, peakMemoryMiB: 90 }] }, { name: 'idle', title: 'Idle' }),
].map(figuresOf);

it('has one bar for the median of each system whose CPU was measured', async () => {
  expect(labelsOf('bar', await draw(costPlot(scenarios)))).toEqual([
    `2; system: the service; colour: ${colours.service}`,
    `1; system: undici alone; colour: ${colours.limit}`,
    `0.5; system: kafkajs alone; colour: ${colours.limit}`,
    `3; system: 1 partition; colour: ${colours.service}`,
    `5; system: 100 partitions; colour: ${colours.service}`,
  ]);
});

it('has a whisker from the lowest to the highest for each bar', async () => {
  const whiskers = labelsOf('errorbar', await draw(costPlot(scenarios)));
  expect(whiskers).toHaveLength(5);
  expect(whiskers[0]).toMatch(/system: the service;.* highest: 4; lowest: 1$/);
});

it('has the titles of the scenarios in it', async () => {
  const plot = await draw(costPlot(scenarios));
  expect(plot).toContain('>One host</text>');
  expect(plot).toContain('>More partitions</text>');
  expect(plot).not.toContain('Idle');
});

it('has one bar for each measured target, in different colours for those that are met and those that are not', async () => {
  const plot = await draw(targetsPlot(scenarios));
  expect(labelsOf('bar', plot)).toEqual([
    `0.75; target: one-host: CPU over both; colour: ${colours.met}`,
    `1.5; target: one-host: p99 in ms; colour: ${colours.missed}`,
  ]);
  expect(plot).toContain('>4.500 of 3</text>');
});

it.each(plots)('is a complete image with a transparent background: $file', async ({ of }) => {
  const plot = await draw(of(scenarios));
  expect(plot).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(plot).not.toMatch(/fill="(?:white|#fff|black|#000)/);
});

/** Returns the accessible labels of all marks of a kind, without the title of the axis in front. */
function labelsOf(kind: string, svg: string): readonly string[] {
  const marks = svg.matchAll(
    /aria-label="(?<label>[^"]*)" role="graphics-symbol" aria-roledescription="(?<kind>\w+)"/g,
  );
  return [...marks]
    .filter(({ groups }) => groups?.['kind'] === kind)
    .map(({ groups }) => (groups?.['label'] ?? '').replace(/^[^:]*: /, ''));
}
