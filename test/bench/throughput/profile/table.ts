import { row } from '../../table.ts';
import type { Shares } from './parts.ts';

const shownFrom = 0.01;

/** Returns a Markdown table of shares of what the title says, with a column for each scenario and a row for each part. */
export function describeShares(title: string, shares: ReadonlyMap<string, Shares>): string {
  const scenarios = [...shares.values()];
  const share = ({ parts }: Shares, name: string): number => parts.find((part) => part.name === name)?.share ?? 0;
  const most = (name: string): number => Math.max(...scenarios.map((one) => share(one, name)));
  const names = [...new Set(scenarios.flatMap(({ parts }) => parts.map(({ name }) => name)))]
    .filter((name) => most(name) >= shownFrom)
    .toSorted((one, other) => most(other) - most(one));
  const others = (one: Shares): number => 1 - names.reduce((sum, name) => sum + share(one, name), 0);
  return [
    row([`Of the ${title}`, ...shares.keys()]),
    row(['---', ...scenarios.map(() => '---:')]),
    ...names.map((name) => row([name, ...scenarios.map((one) => percent(share(one, name)))])),
    row(['others', ...scenarios.map((one) => percent(others(one)))]),
    ...(scenarios.every(({ busy }) => busy === undefined)
      ? []
      : [row(['_busy time of the thread_', ...scenarios.map(({ busy = 1 }) => percent(busy))])]),
  ].join('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.095 ? 1 : 0)} %`;
}
