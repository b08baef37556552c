import { expect, it } from 'vitest';
import { describeProblem, unavailableProblems } from '../../src/settings.ts';
import { parseSettings } from '../../src/settings/parse-settings.ts';

it('refuses what this version can not do rather than ignore it', () => {
  const problems = problemsOf({ HANDOFF_COMPRESSION: 'zstd' });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain('HANDOFF_COMPRESSION');
});

it('has nothing against what it can do', () => {
  expect(problemsOf({ HANDOFF_COMPRESSION: 'gzip', DELIVERY_PROXY_URL: 'http://proxy:3128' })).toEqual([]);
});

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const parsed = parseSettings({ KAFKA_BROKERS: 'kafka:9092', ...environment }, new Map());
  return parsed.kind === 'ok' ? unavailableProblems(parsed.settings).map(describeProblem) : ['not parsed'];
}
