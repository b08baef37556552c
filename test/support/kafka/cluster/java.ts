import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithParent } from '../../processes/end-with-parent.ts';

const run = promisify(execFile);
const oldestVersion = 17;

/** What this machine lacks, and how to get it. */
export class MissingToolError extends Error {
  override readonly name = 'MissingToolError';
}

/** A Java that Kafka runs on. The version text names the very build, which an archive of classes is bound to. */
export interface Java {
  readonly command: string;
  readonly version: string;
}

/** Takes `JAVA_HOME`, else the `java` of the path. */
export async function findJava(environment: NodeJS.ProcessEnv = process.env): Promise<Java> {
  const home = environment['JAVA_HOME'];
  const command = home === undefined || home === '' ? 'java' : join(home, 'bin', 'java');
  const version = await versionOf(command);
  if (version === undefined || majorOf(version) < oldestVersion) throw new MissingToolError(missingJava(version));
  return { command, version };
}

async function versionOf(command: string): Promise<string | undefined> {
  try {
    return (await run(command, ['-version'])).stderr.trim();
  } catch {
    return undefined;
  }
}

/** `1.8.0_402` is Java 8; from 9 on the first number is the version. */
export function majorOf(version: string): number {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  return Number(first === '1' ? second : (first ?? 0));
}

function missingJava(found: string | undefined): string {
  return [
    `Apache Kafka needs Java ${oldestVersion} or later, and this machine has ${found?.split('\n')[0] ?? 'none'}.`,
    'Install it (Debian, Ubuntu: apt-get install openjdk-17-jre-headless; macOS: brew install openjdk), or point',
    'JAVA_HOME to it; or start Docker or Podman; or set KAFKA_BROKERS to a cluster that tests may use.',
  ].join('\n');
}

/** Downloads what a POM asks for into a folder. */
export async function downloadWithMaven(folder: string, into: string): Promise<void> {
  try {
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${into}`];
    await run('mvn', ['-q', '-B', ...goal], { cwd: folder });
  } catch (error) {
    if (!isNotFound(error)) throw new Error('Maven could not download Apache Kafka.', { cause: error });
    const install = 'Debian, Ubuntu: apt-get install maven; macOS: brew install maven';
    throw new MissingToolError(
      `Apache Kafka is downloaded with Maven, which this machine lacks. Install it (${install}).`,
    );
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Few threads, quick start, little memory: right for a test, wrong for a measurement of throughput. */
const leanFlags = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

export async function runJava(java: Java, parameters: readonly string[]): Promise<void> {
  await run(java.command, [...leanFlags, ...parameters]);
}

/** A virtual machine of its own. Its output goes to the end of the log file. */
export function startJava(java: Java, parameters: readonly string[], logFile: string): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    const wrapper = endWithParent();
    const [command, ...rest] = [...wrapper, java.command, ...leanFlags, ...parameters];
    // Ctrl-C would reach a broker before the clients that use it. Where the kernel ends it with us, it need not.
    const detached = wrapper.length > 0;
    return spawn(command ?? java.command, rest, { stdio: ['ignore', log, log], detached });
  } finally {
    closeSync(log);
  }
}
