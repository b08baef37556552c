import { setTimeout } from 'node:timers/promises';
import { runDirectory } from './directory.ts';
import type { Quantity, Sample } from '../sample.ts';
import type { Scale } from '../scale.ts';
import { names, type Medians, type Scenario } from './scenario.ts';
import { runSteady, type Steady } from './steady.ts';
import type { Subscribers } from '../subscribers.ts';
import { createTopics, uniqueName } from '../../../support/kafka/topics.ts';
import { startService } from '../../service.ts';
import type { BenchEnvironment } from '../environment.ts';
import { usageOf } from '../process-usage.ts';

const partitions = 12;

/** Scenarios in which records come at a given pace, or not at all. */
export function otherScenarios(): readonly Scenario[] {
  return [steady(), idle(), directory()];
}

function steady(): Scenario {
  const subscribers: Subscribers = { owners: 250, webhooksPerOwner: 1, hosts: 'each' };
  const load = ({ steadyPerSecond: perSecond, steadyMs: measuredMs }: Scale): Steady => ({
    partitions,
    subscribers,
    perSecond,
    measuredMs,
    warmUpMs: 5000,
  });
  return {
    name: 'steady',
    kind: 'situation',
    title: '1,000 certificates per second to 250 hosts',
    systems: [{ name: names.service, run: (environment, scale) => runSteady(environment, load(scale)) }],
    targets: [
      { what: 'from write to 2xx, p50 in ms', atMost: 3, value: (median) => median(names.service, 'p50') },
      { what: 'from write to 2xx, p99 in ms', atMost: 12, value: (median) => median(names.service, 'p99') },
    ],
  };
}

function idle(): Scenario {
  const subscribers: Subscribers = { owners: 1000, webhooksPerOwner: 1, hosts: 'one' };
  return {
    name: 'idle',
    kind: 'situation',
    title: 'Idle',
    systems: [
      {
        name: names.service,
        run: (environment, { idleMs: forMs }) => runIdle(environment, { subscribers, forMs }),
      },
    ],
    targets: [{ what: 'cores', atMost: 0.02, value: (median) => median(names.service, 'cores') }],
  };
}

function directory(): Scenario {
  const value = (quantity: Quantity) => (median: Medians) => median(names.service, quantity);
  return {
    name: 'configurations',
    kind: 'situation',
    title: '1,000,000 webhook configurations',
    rounds: 1,
    hasUnits: false,
    systems: [
      {
        name: names.service,
        run: (environment, { configurations: owners }) => runDirectory(environment, owners),
      },
    ],
    targets: [
      { what: 'ready after, s', atMost: 30, value: value('readyAfterS') },
      { what: 'resident memory, MiB', atMost: 1024, value: value('residentMiB') },
      { what: 'a change is in force after, ms', atMost: 100, value: value('changeMs') },
      { what: 'longest delay of the event loop until ready, ms', atMost: 50, value: value('startupLoopDelayMs') },
      { what: 'longest delay of the event loop once ready, ms', atMost: 50, value: value('loopDelayMs') },
    ],
  };
}

const settleMs = 3000;

interface Idle {
  readonly subscribers: Subscribers;
  readonly forMs: number;
}

/** Measures a service whose topics stay empty. */
async function runIdle(environment: BenchEnvironment, { subscribers, forMs }: Idle): Promise<Sample> {
  const topic = uniqueName('certificates');
  await createTopics(environment.kafka, [{ topic, partitions }]);
  await using service = await startService(environment, { topic, partitions, subscribers });
  await setTimeout(settleMs);
  const before = usageOf(service);
  await using _ = await environment.observing(service, forMs / 1000);
  await setTimeout(forMs);
  const after = usageOf(service);
  return { cores: ((after.cpuSeconds - before.cpuSeconds) / forMs) * 1000, peakMemoryMiB: after.peakMemoryMiB };
}
