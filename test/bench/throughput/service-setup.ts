import { uniqueName } from '../../support/kafka/topics.ts';
import type { Environment } from '../../../src/settings.ts';
import { createSurroundings, environmentOf } from '../service-topics.ts';
import { startService, type RunningService } from '../service.ts';
import type { Stage } from './environment.ts';
import { configurationsOf, type Subscribers } from './subscribers.ts';

export interface PlaceParts {
  /** The certificates' topic. */
  readonly topic: string;
  readonly partitions: number;
  readonly subscribers: Subscribers;
}

/** Where a service is to run: topics of its own, and what it is told about them. */
export interface Place {
  /** Begins the names of its topics, and is its group's. */
  readonly name: string;
  readonly environment: Environment;
}

/** Its group begins at the first record. */
export async function createPlace(stage: Stage, { topic, partitions, subscribers }: PlaceParts): Promise<Place> {
  const { kafka, brokers, receiver, authorityFile } = stage;
  const name = uniqueName('bench');
  const configurations = configurationsOf(subscribers, (endpoint) => receiver.url(endpoint));
  await createSurroundings(kafka, name, { partitions, configurations });
  return { name, environment: environmentOf({ name, certificates: topic, brokers, authorityFile }) };
}

/** Starts the service with its default settings in a place of its own. */
export async function startServiceFor(stage: Stage, parts: PlaceParts, program: string): Promise<RunningService> {
  const { environment } = await createPlace(stage, parts);
  return startService({ program, environment, logFile: stage.logFile, isInspected: stage.profiled !== undefined });
}
