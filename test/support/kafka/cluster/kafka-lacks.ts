import { existsSync } from 'node:fs';
import { installCommand, type Lack } from '../../programs/missing-programs.ts';
import { isMissing } from '../../programs/programs.ts';
import { findContainerEngine } from './container.ts';
import { jarsFolder } from './distribution.ts';
import { findJava } from './java.ts';

/** Returns the programs without which no Kafka runs here. None if `KAFKA_BROKERS` names one, or an engine answers. */
export async function lacksOfKafka(): Promise<readonly Lack[]> {
  if ((process.env['KAFKA_BROKERS'] ?? '') !== '') return [];
  const java = await lacksOfJava();
  return java.length === 0 || (await findContainerEngine()) !== undefined ? [] : java;
}

/** Returns the programs without which Kafka can't be started with Java. Maven is needed for the download alone. */
export async function lacksOfJava(): Promise<readonly Lack[]> {
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
