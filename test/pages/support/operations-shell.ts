import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compiled } from '../../support/processes/compiled.ts';
import { archiveClasses } from '../../support/kafka/cluster/class-archive.ts';
import { classFlags, prepareDistribution } from '../../support/kafka/cluster/distribution.ts';

/** The tools of Kafka that the pages use, and their classes. */
const kafkaTools = {
  'kafka-acls.sh': 'org.apache.kafka.tools.AclCommand',
  'kafka-configs.sh': 'kafka.admin.ConfigCommand',
  'kafka-console-consumer.sh': 'org.apache.kafka.tools.consumer.ConsoleConsumer',
  'kafka-console-producer.sh': 'org.apache.kafka.tools.ConsoleProducer',
  'kafka-consumer-groups.sh': 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand',
  'kafka-topics.sh': 'org.apache.kafka.tools.TopicCommand',
} as const;

/** Writes the programs that the pages use into a folder: Kafka's tools, and the stand-ins for kubectl and Helm. */
export async function writePrograms(folder: string, standInUrl: string): Promise<string> {
  const programs = join(folder, 'bin');
  await mkdir(programs, { recursive: true });
  const silent = (): void => undefined;
  const distribution = await archiveClasses(await prepareDistribution(silent), silent);
  // Without the log settings of brokers the tools log only errors.
  const quiet = classFlags(distribution).filter((flag) => !flag.startsWith('-Dlog4j2'));
  const java = [distribution.java.command, '-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ...quiet];
  const standIn = [process.execPath, new URL('stand-in.ts', import.meta.url).pathname, standInUrl];
  const scripts = [
    ...Object.entries(kafkaTools).map(([name, tool]) => [name, [...java, tool]] as const),
    ...['kubectl', 'helm'].map((name) => [name, [...standIn, name]] as const),
    ['node', [process.execPath]] as const,
  ];
  await Promise.all(
    scripts.map(([name, words]) =>
      writeFile(join(programs, name), `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`, {
        mode: 0o755,
      }),
    ),
  );
  return programs;
}

export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script in Bash, with those programs first on the path. It stops at the first command that fails. */
export function runScript(
  script: string,
  { programs, folder, environment = {} }: { programs: string; folder: string; environment?: NodeJS.ProcessEnv },
): Promise<Output> {
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      // Bash expands an alias in a terminal alone, unless it is told to.
      ['--norc', '-O', 'expand_aliases', '-euo', 'pipefail', '-c', script],
      { cwd: folder, env: { ...compiled, ...environment, HOME: folder, PATH: `${programs}:${process.env['PATH']}` } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
    child.stdin?.end();
  });
}
