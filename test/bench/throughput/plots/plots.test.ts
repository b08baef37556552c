import { expect, it } from 'vitest';
import { aResult, cpu } from '../results/builders.ts';
import { colours } from './style.ts';
import { costPlot } from './cost.ts';
import { draw } from './draw.ts';
import { plots } from './plots.ts';
import { targetsPlot } from './targets.ts';

const targets = [
  { what: 'CPU over both', atMost: 1.6, value: () => 1.2 },
  { what: 'p99 in ms', atMost: 3, value: () => 4.5 },
];
const results = [
  aResult({ 'the service': cpu(2, 1, 4), 'undici alone': cpu(1), 'kafkajs alone': cpu(0.5) }, { targets }),
  aResult({ '1 partition': cpu(3), '100 partitions': cpu(5) }, { name: 'partitions', title: 'More partitions' }),
  aResult({ 'the service': [{ busy: 0.01, peakMemoryMiB: 90 }] }, { name: 'idle', title: 'Nothing to do' }),
];

it('has one bar for the median of each contestant whose CPU was measured', async () => {
  expect(labelsOf('bar', await draw(costPlot(results)))).toEqual([
    `2; contestant: the service; colour: ${colours.service}`,
    `1; contestant: undici alone; colour: ${colours.limit}`,
    `0.5; contestant: kafkajs alone; colour: ${colours.limit}`,
    `3; contestant: 1 partition; colour: ${colours.service}`,
    `5; contestant: 100 partitions; colour: ${colours.service}`,
  ]);
});

it('has a line from the lowest to the highest for each bar', async () => {
  const lines = labelsOf('errorbar', await draw(costPlot(results)));
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatch(/contestant: the service;.* most: 4; least: 1$/);
});

it('names the scenarios that are in it', async () => {
  const plot = await draw(costPlot(results));
  expect(plot).toContain('>A backlog to one host</text>');
  expect(plot).toContain('>More partitions</text>');
  expect(plot).not.toContain('Nothing to do');
});

it('has one bar for each target, and tells those that are met from those that are not', async () => {
  const plot = await draw(targetsPlot(results));
  expect(labelsOf('bar', plot)).toEqual([
    `0.75; target: one-host: CPU over both; colour: ${colours.met}`,
    `1.5; target: one-host: p99 in ms; colour: ${colours.missed}`,
  ]);
  expect(plot).toContain('>4.500 of 3</text>');
});

it.each(plots)('is an image for itself, without a background: $file', async ({ of }) => {
  const plot = await draw(of(results));
  expect(plot).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(plot).not.toMatch(/fill="(?:white|#fff|black|#000)/);
});

/** What marks of that kind say of themselves to who can't see them, without the title of the axis in front. */
function labelsOf(kind: string, svg: string): readonly string[] {
  const marks = svg.matchAll(
    /aria-label="(?<label>[^"]*)" role="graphics-symbol" aria-roledescription="(?<kind>\w+)"/g,
  );
  return [...marks]
    .filter(({ groups }) => groups?.['kind'] === kind)
    .map(({ groups }) => (groups?.['label'] ?? '').replace(/^[^:]*: /, ''));
}
