import { existsSync } from 'node:fs';
import { isCi } from '../../ci.ts';
import { installCommand, type Lack } from '../../programs/missing-programs.ts';
import { isMissing } from '../../programs/programs.ts';
import { findContainerEngine } from './container.ts';
import { jarsFolder } from './distribution.ts';
import { findJava } from './java.ts';

/**
 * Returns the programs for want of which the memory broker may stand in for Kafka: Java, and Maven if it has to download.
 * None if `KAFKA_BROKERS` names a cluster, or an engine answers. None either where a missing Kafka is a failure: with
 * `CI=true`, or when a version is asked for.
 */
export async function lacksOfKafka(): Promise<readonly Lack[]> {
  const { KAFKA_BROKERS = '', LOCAL_KAFKA_VERSION = '' } = process.env;
  if (KAFKA_BROKERS !== '' || LOCAL_KAFKA_VERSION !== '' || isCi()) return [];
  const lacks = await lacksOfJava();
  return lacks.length === 0 || (await findContainerEngine()) !== undefined ? [] : lacks;
}

async function lacksOfJava(): Promise<readonly Lack[]> {
  const maven: readonly Lack[] = isMissing('maven') && !existsSync(jarsFolder()) ? [{ program: 'maven' }] : [];
  try {
    await findJava();
    return maven;
  } catch (error) {
    const tooOld: Lack = { program: 'java', problem: String(error).split('\n', 1).join('') };
    return [isMissing('java') ? { program: 'java' } : tooOld, ...maven];
  }
}

/** Returns what to print first when the memory broker stands in for Kafka. */
export function memoryLines(lacks: readonly Lack[]): readonly string[] {
  const names = lacks.map(({ program, problem }) =>
    problem === undefined ? `no ${program}` : `${program} is too old`,
  );
  const command = installCommand(lacks);
  return [
    `Without Apache Kafka: the broker is the one of the simulation, in memory (${names.join(', ')}, no container engine).`,
    ...(command === undefined ? [] : [`For Apache Kafka on Debian or Ubuntu: ${command}`]),
  ];
}
