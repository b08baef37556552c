import { execFile } from 'node:child_process';
import { archiveClasses } from './class-archive.ts';
import { classFlags, prepareDistribution } from './distribution.ts';
import type { Mechanism } from './security.ts';

/** Runs a command-line tool of Kafka and resolves to its standard output. */
export async function runKafkaTool(program: string, options: readonly string[], input = ''): Promise<string> {
  const silent = (): void => undefined;
  const distribution = await archiveClasses(await prepareDistribution(silent), silent);
  // The tool logs to standard output. Without the log settings of brokers it logs only errors.
  const quiet = classFlags(distribution).filter((flag) => !flag.startsWith('-Dlog4j2'));
  const flags = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ...quiet];
  return new Promise((resolve, reject) => {
    const child = execFile(
      distribution.java.command,
      [...flags, program, ...options],
      { maxBuffer: 64 * 1024 * 1024 },
      // The message of `error` begins with the whole class path.
      (error, stdout, stderr) => (error === null ? resolve(stdout) : reject(new Error(`${program}: ${stderr}`))),
    );
    child.stdin?.end(input);
  });
}

/** Creates the user, or changes its password. */
export async function setScramPassword(
  brokers: readonly string[],
  user: { readonly name: string; readonly password: string; readonly mechanism: Exclude<Mechanism, 'PLAIN'> },
): Promise<void> {
  const { name, password, mechanism } = user;
  const entity = ['--bootstrap-server', brokers.join(), '--entity-type', 'users', '--entity-name', name];
  const change = ['--alter', '--add-config', `${mechanism}=[iterations=4096,password=${password}]`];
  const options = [...entity, ...change];
  // Kafka 4.4 has moved the program.
  await runKafkaTool('kafka.admin.ConfigCommand', options).catch(async (error: unknown) => {
    if (!String(error).includes('Could not find or load main class')) throw error;
    return runKafkaTool('org.apache.kafka.tools.ConfigCommand', options);
  });
}
