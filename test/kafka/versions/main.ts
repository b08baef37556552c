import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { root } from '../../support/files/sources.ts';
import { kafkaVersions } from './kafka-versions.ts';

/** Tests of all that may differ between brokers: protocol, groups, topic ids, transactions, security and our commands. */
const tests = [
  'test/contract/kafka.kafka.test.ts',
  'test/scenarios/deliveries/outcomes.test.ts',
  'test/scenarios/retries/tiers.test.ts',
  'test/scenarios/retries/dead-letters.test.ts',
  'test/edge-cases/processes/instances.test.ts',
  'test/scenarios/processes/restart.test.ts',
  'test/scenarios/records/transactions.test.ts',
  'test/edge-cases/configurations/recreated-topic.test.ts',
  'test/cli/topics-command.kafka.test.ts',
  'test/kafka/client/secured.kafka.test.ts',
];

/** The counts in the JSON report of a run. */
interface Counts {
  readonly numPassedTests: number;
  readonly numTotalTests: number;
}

// Runs the tests that depend on the broker against each version of Kafka, or against those that are named, and prints a table.
const named = process.argv.slice(2);
const rows = ['| Kafka | Passed | Not passed |', '| ----- | ------ | ---------- |'];
for (const version of named.length === 0 ? kafkaVersions : named) {
  const { numPassedTests: passed, numTotalTests: total } = await run(version);
  // A test whose preparation fails counts as skipped.
  rows.push(`| ${version} | ${passed} | ${total - passed} |`);
  if (passed === 0 || passed < total) process.exitCode = 1;
}
process.stdout.write(`${rows.join('\n')}\n`);

async function run(version: string): Promise<Counts> {
  await using files = await writeTemporaryFiles({});
  const report = files.path('report.json');
  const options = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const environment = { ...process.env, LOCAL_KAFKA_VERSION: version, KAFKA_BROKERS: '' };
  const args = ['vitest', 'run', '--project', 'kafka', '--project', 'scenarios', ...options, ...tests];
  process.stderr.write(`\nKafka ${version}\n`);
  await once(spawn('npx', args, { cwd: root, env: environment, stdio: ['ignore', 2, 2] }), 'close');
  // A run that could not start Kafka writes no report.
  return JSON.parse(await readFile(report, 'utf8').catch(() => '{"numPassedTests":0,"numTotalTests":0}')) as Counts;
}
