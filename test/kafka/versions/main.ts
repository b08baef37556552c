import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { root } from '../../support/files/sources.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
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

/** A second implementation of Kafka's protocol, in Go, and the tests that need nothing of Kafka that it lacks. */
const kfake = 'kfake';
const kfakeTests = ['test/scenarios/deliveries/outcomes.test.ts', 'test/scenarios/retries/tiers.test.ts'];

/** The counts in the JSON report of a run. */
interface Counts {
  readonly numPassedTests: number;
  readonly numTotalTests: number;
}

// Runs the tests that depend on the broker against each version of Kafka, or against those that are named, and prints a table.
const named = process.argv.slice(2);
const rows = ['| Kafka | Passed | Not passed |', '| ----- | ------ | ---------- |'];
for (const version of named.length === 0 ? [...kafkaVersions, kfake] : named) {
  if (version === kfake && spawnSync('go', ['version']).error !== undefined) {
    rows.push(`| ${kfake} | left out | go is missing |`);
    continue;
  }
  const { numPassedTests: passed, numTotalTests: total } = await (version === kfake ? runOnKfake() : run(version));
  // A test whose preparation fails counts as skipped.
  rows.push(`| ${version} | ${passed} | ${total - passed} |`);
  if (passed === 0 || passed < total) process.exitCode = 1;
}
process.stdout.write(`${rows.join('\n')}\n`);

async function runOnKfake(): Promise<Counts> {
  await using files = await writeTemporaryFiles({});
  const program = files.path('kfake');
  execFileSync('go', ['build', '-o', program, '.'], {
    cwd: join(import.meta.dirname, 'kfake'),
    stdio: ['ignore', 2, 2],
  });
  const port = await findFreePorts(1);
  const broker = spawn(program, [String(port)]);
  try {
    // It prints its address once it listens.
    await once(broker.stdout, 'data');
    return await run(kfake, { KAFKA_BROKERS: `127.0.0.1:${port}`, LOCAL_KAFKA_VERSION: '' }, kfakeTests);
  } finally {
    broker.kill('SIGINT');
  }
}

async function run(version: string, overrides: NodeJS.ProcessEnv = {}, chosen = tests): Promise<Counts> {
  await using files = await writeTemporaryFiles({});
  const report = files.path('report.json');
  const options = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const environment = { ...process.env, LOCAL_KAFKA_VERSION: version, KAFKA_BROKERS: '', ...overrides };
  const args = ['vitest', 'run', '--project', 'kafka', '--project', 'scenarios', ...options, ...chosen];
  process.stderr.write(`\nKafka ${version}\n`);
  await once(spawn('npx', args, { cwd: root, env: environment, stdio: ['ignore', 2, 2] }), 'close');
  // A run that could not start Kafka writes no report.
  return JSON.parse(await readFile(report, 'utf8').catch(() => '{"numPassedTests":0,"numTotalTests":0}')) as Counts;
}
