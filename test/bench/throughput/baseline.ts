import { readFileSync, writeFileSync } from 'node:fs';
import type { Ratios } from './results/check.ts';

const file = new URL('baseline.json', import.meta.url);

export function readBaseline(): Ratios {
  return JSON.parse(readFileSync(file, 'utf8')) as Ratios;
}

/** Keeps the ratios of scenarios that are not among these. */
export function recordBaseline(ratios: Ratios): void {
  const rounded = Object.entries(ratios).map(([scenario, ratio]) => [scenario, Number(ratio.toFixed(3))] as const);
  const baseline = { ...readBaseline(), ...Object.fromEntries(rounded) };
  writeFileSync(file, `${JSON.stringify(baseline, undefined, 2)}\n`);
}
