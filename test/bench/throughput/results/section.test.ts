import { expect, it } from 'vitest';
import { aResult, cpu } from './builders.ts';
import { figuresOf } from './figures.ts';
import { sectionOf } from './section.ts';

const conditions = {
  date: '2026-11-21',
  processor: 'a Processor 3000',
  cores: 2,
  memoryGib: 24,
  node: '24.21.0',
  kafka: 'Kafka 4.3.1',
};
const service = { perSecond: 5819.4, cpu: 1.7, peakMemoryMiB: 423 };

it('has when and on what it was measured, and the pictures', () => {
  const pictures = [{ title: 'CPU', file: 'performance/cpu.svg' }];
  const scenarios = [figuresOf(aResult({ 'the service': cpu(1, 2, 3) }))];
  const text = sectionOf({ conditions, scenarios }, pictures);
  expect(text).toMatch(
    /^Measured on 2026-11-21 with Node\.js 24\.21\.0 and Kafka 4\.3\.1 on a Processor 3000 \(2 cores, 24 GiB\).* Medians of 3 rounds/,
  );
  expect(text).toMatch(/\n\n!\[CPU\]\(performance\/cpu\.svg\)$/);
});

it('compares the service with the sum of its limits', () => {
  const result = aResult({ 'the service': [service], 'undici alone': cpu(0.6), 'kafkajs alone': cpu(0.25) });
  expect(rowsOf(result)).toContain('| One host | 5819 | 1.70 | 2.00 | 423 |');
});

it('compares the largest variation with the first system', () => {
  const systems = {
    '1 webhook': [service],
    '3 webhooks': [service],
    '10 webhooks': [{ ...service, cpu: 1.36, peakMemoryMiB: 462 }],
  };
  const result = aResult(systems, { kind: 'variation' });
  expect(rowsOf(result)).toContain('| 10 webhooks | 1 webhook | 0.80 | 462 |');
});

it('has situations with the title of the scenario, or with the name of a system that is not the service alone', () => {
  const idle = { cores: 0.0421, peakMemoryMiB: 164 };
  const waiting = { p50: 1.62, p99: 23.24, residentMiB: 202, requests: 1.2, recoveredAfterS: 642, peakMemoryMiB: 319 };
  const results = [
    aResult({ 'the service': [idle], 'a bare loop': [idle] }, { kind: 'situation', title: 'Idle' }),
    aResult({ 'retries wait': [waiting] }, { kind: 'situation', title: 'Waiting' }),
  ];
  expect(rowsOf(...results)).toContain('| Idle |  |  | 0.042 | 164 |  |');
  expect(rowsOf(...results)).toContain('| Idle: a bare loop |  |  | 0.042 | 164 |  |');
  expect(rowsOf(...results)).toContain(
    '| retries wait | 1.6 | 23.2 |  | 319 | requests per delivery 1.20; recovered after 642 s |',
  );
});

function rowsOf(...results: readonly ReturnType<typeof aResult>[]): readonly string[] {
  return sectionOf({ conditions, scenarios: results.map(figuresOf) }, []).split('\n');
}
