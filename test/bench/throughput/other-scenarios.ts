import { runDirectory } from './directory.ts';
import { runIdle } from './idle.ts';
import type { Quantity } from './sample.ts';
import { names, type Medians, type Scenario } from './scenario.ts';
import { runSteady } from './steady.ts';
import { runStorm } from './outage.ts';
import type { Subscribers } from './subscribers.ts';
import { runWaiting } from './waiting.ts';

const partitions = 12;

/** Certificates come as time goes by, or not at all. */
export function otherScenarios(program: string): readonly Scenario[] {
  return [steady(program), idle(program), storm(program), waiting(program), directory(program)];
}

function steady(program: string): Scenario {
  const subscribers: Subscribers = { owners: 250, fanOut: 1, hosts: 'each' };
  return {
    name: 'steady',
    title: 'A steady thousand a second to 250 hosts',
    contestants: [
      {
        name: names.service,
        run: (stage, { steadyPerSecond: perSecond, steadyMs: measuredMs }) =>
          runSteady(stage, { partitions, subscribers, perSecond, warmUpMs: 5000, measuredMs }, program),
      },
    ],
    targets: [
      { what: 'written to 2xx, p50 in ms', atMost: 3, value: (of) => of(names.service, 'p50') },
      { what: 'written to 2xx, p99 in ms', atMost: 12, value: (of) => of(names.service, 'p99') },
    ],
  };
}

function idle(program: string): Scenario {
  const subscribers: Subscribers = { owners: 1000, fanOut: 1, hosts: 'one' };
  return {
    name: 'idle',
    title: 'Nothing to do',
    contestants: [
      {
        name: names.service,
        run: (stage, { idleMs: forMs }) => runIdle(stage, { partitions, subscribers, forMs }, program),
      },
    ],
    targets: [{ what: 'part of a core', atMost: 0.02, value: (of) => of(names.service, 'busy') }],
  };
}

function storm(program: string): Scenario {
  const subscribers: Subscribers = { owners: 250, fanOut: 1, hosts: 'each' };
  return {
    name: 'storm',
    title: 'Everything fails for a minute, while two hundred certificates a second come to 250 hosts',
    rounds: 1,
    contestants: [
      {
        name: names.service,
        run: (stage, { stormMs }) =>
          runStorm(stage, { partitions, subscribers, perSecond: 200, stormMs, calmMs: 10_000 }, program),
      },
    ],
    targets: [],
  };
}

function waiting(program: string): Scenario {
  const subscribers: Subscribers = { owners: 250, fanOut: 1, hosts: 'one' };
  const [many, none] = ['a million waiting', 'none waiting'];
  const common = { partitions, subscribers, due: 6000, dueForMs: 30_000 };
  return {
    name: 'waiting',
    title: 'A million deliveries wait in tiers, while two hundred a second fall due in another one',
    rounds: 1,
    contestants: [
      { name: many, run: (stage, scale) => runWaiting(stage, { ...common, waiting: scale.waiting }, program) },
      { name: none, run: (stage) => runWaiting(stage, { ...common, waiting: 0 }, program) },
    ],
    targets: [
      {
        what: 'memory over that with none waiting, MiB',
        atMost: 50,
        value: (of) => of(many, 'residentMiB') - of(none, 'residentMiB'),
      },
      { what: 'from due to 2xx with a million waiting, p99 in ms', atMost: 1000, value: (of) => of(many, 'p99') },
    ],
  };
}

function directory(program: string): Scenario {
  const value = (quantity: Quantity) => (of: Medians) => of(names.service, quantity);
  return {
    name: 'configurations',
    title: 'A million webhook configurations, at the start and while they change',
    rounds: 1,
    contestants: [
      {
        name: names.service,
        run: (stage, { configurations: owners }) => runDirectory(stage, { owners, program }),
      },
    ],
    targets: [
      { what: 'ready after, s', atMost: 30, value: value('readyAfterS') },
      { what: 'resident memory, MiB', atMost: 1024, value: value('residentMiB') },
      { what: 'a change in force after, ms', atMost: 100, value: value('updateMs') },
      { what: 'longest turn of the event loop until then, ms', atMost: 50, value: value('longestTurnMs') },
      { what: 'longest turn of the event loop from then on, ms', atMost: 50, value: value('longestTurnOnceReadyMs') },
    ],
  };
}
