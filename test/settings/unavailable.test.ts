import { expect, it } from 'vitest';
import { describeProblem, unavailableProblems } from '../../src/settings.ts';
import { parseSettings } from '../../src/settings/parse-settings.ts';

it.each([
  { SCHEMA_REGISTRY_URL: 'http://registry:8081' },
  { DELIVERY_PROXY_URL: 'http://user:hush@proxy:3128' },
  { HANDOFF_COMPRESSION: 'zstd' },
])('refuses what this version can not do rather than ignore it: %o', (asked) => {
  const problems = problemsOf(asked);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(Object.keys(asked)[0]);
  expect(problems.join()).not.toContain('hush');
});

it('has nothing against what it can do', () => {
  expect(problemsOf({ HANDOFF_COMPRESSION: 'gzip' })).toEqual([]);
});

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const parsed = parseSettings({ KAFKA_BROKERS: 'kafka:9092', ...environment }, new Map());
  return parsed.kind === 'ok' ? unavailableProblems(parsed.settings).map(describeProblem) : ['not parsed'];
}
