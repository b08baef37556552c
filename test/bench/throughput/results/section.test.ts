import { expect, it } from 'vitest';
import { aResult, cpu } from './builders.ts';
import { sectionOf } from './section.ts';

const circumstances = {
  date: '2026-11-21',
  processor: 'a Processor 3000',
  cores: 2,
  memoryGib: 24,
  node: '24.21.0',
  kafka: 'Kafka 4.3.1',
};

it('says where, when and how it was measured, shows the pictures, and has the tables', () => {
  const pictures = [{ title: 'What it costs', file: 'performance/cost.svg' }];
  const text = sectionOf([aResult({ 'the service': cpu(1) })], { circumstances, rounds: 5, pictures });
  expect(text.split('\n').slice(0, 5)).toEqual([
    'Measured on 2026-11-21 with a Processor 3000, 2 cores and 24 GiB for everything, the broker included; Node 24.21.0, Kafka 4.3.1. The medians of 5 rounds, with the lowest and the highest.',
    '',
    '![What it costs](performance/cost.svg)',
    '',
    '### A backlog to one host',
  ]);
});
