import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithParent } from '../../processes/end-with-parent.ts';

const run = promisify(execFile);
const oldestVersion = 17;

/** A program is missing. The message says how to install it. */
export class MissingToolError extends Error {
  override readonly name = 'MissingToolError';
}

/** A Java that can run Kafka. The version text includes the build, because an archive of classes depends on it. */
export interface Java {
  readonly command: string;
  readonly version: string;
}

/** Finds Java in `JAVA_HOME`, otherwise on the path. */
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

/** Returns the major version. `1.8.0_402` is Java 8; from 9 on the first number is the version. */
function majorOf(version: string): number {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  return Number(first === '1' ? second : (first ?? 0));
}

function missingJava(found: string | undefined): string {
  return [
    `Apache Kafka needs Java ${oldestVersion} or later, and this machine has ${found?.split('\n')[0] ?? 'none'}.`,
    'Install it (Debian, Ubuntu: apt-get install openjdk-17-jre-headless; macOS: brew install openjdk), or point',
    'JAVA_HOME to it; or start Docker or Podman; or set KAFKA_BROKERS to a cluster that tests can use.',
  ].join('\n');
}

/** Downloads the dependencies of the POM in `folder`. */
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

/** Few threads, a quick start and little memory: for tests, not for throughput measurements. */
const leanFlags = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

export async function runJava(java: Java, parameters: readonly string[]): Promise<void> {
  await run(java.command, [...leanFlags, ...parameters]);
}

/** Starts a virtual machine. Its output is appended to the log file. */
export function startJava(java: Java, parameters: readonly string[], logFile: string): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    const wrapper = endWithParent();
    const [command, ...rest] = [...wrapper, java.command, ...leanFlags, ...parameters];
    // A detached broker does not get Ctrl-C before its clients. This is safe if the kernel ends it with this process.
    const detached = wrapper.length > 0;
    return spawn(command ?? java.command, rest, { stdio: ['ignore', log, log], detached });
  } finally {
    closeSync(log);
  }
}
