import { runBareResumption, runKafkajsAlone, runService, runUndiciAlone, type Backlog } from './backlog.ts';
import { runDirectory } from './directory.ts';
import { runIdle } from './idle.ts';
import type { Quantity } from './sample.ts';
import type { Scale } from './scale.ts';
import { names, type Contestant, type Medians, type Scenario } from './scenario.ts';
import { runSteady } from './steady.ts';
import type { Subscribers } from './subscribers.ts';

const partitions = 12;

/** `program` is the service's own. */
export function scenarios(program: string): readonly Scenario[] {
  return [
    oneHost(program),
    ...[0, 10, 50, 100].map((answerAfterMs) => hostPerOwner(program, answerAfterMs)),
    steady(program),
    fanOut(program),
    manyPartitions(program),
    idle(program),
    cold(program),
    directory(program),
  ];
}

function oneHost(program: string): Scenario {
  const backlog = (scale: Scale): Backlog => backlogOf(scale, { hosts: 'one' });
  return {
    name: 'one-host',
    title: 'A backlog, all to one host that answers at once',
    contestants: [service(program, backlog), undici(backlog), kafkajs(backlog)],
    targets: [
      {
        what: 'CPU per delivery, over undici alone and kafkajs alone together',
        atMost: 1.3,
        value: (of) => of(names.service, 'cpu') / (of(names.undici, 'cpu') + of(names.kafkajs, 'cpu')),
      },
    ],
  };
}

function hostPerOwner(program: string, answerAfterMs: number): Scenario {
  const backlog = (scale: Scale): Backlog => backlogOf(scale, { hosts: 'each' }, { answerAfterMs });
  return {
    name: `host-per-owner-${answerAfterMs}`,
    title: `A backlog, a host per owner, each answering after ${answerAfterMs} ms`,
    contestants: [service(program, backlog), undici(backlog)],
    targets:
      answerAfterMs === 50
        ? [
            {
              what: 'CPU per delivery, over undici alone',
              atMost: 1.8,
              value: (of) => of(names.service, 'cpu') / of(names.undici, 'cpu'),
            },
            {
              what: 'connections opened per delivery',
              atMost: 0.15,
              value: (of) => of(names.service, 'connections'),
            },
          ]
        : [],
  };
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

function fanOut(program: string): Scenario {
  const name = (fan: number): string => `${fan} ${fan === 1 ? 'webhook' : 'webhooks'} an owner`;
  return {
    name: 'fan-out',
    title: 'A backlog of certificates that go to several endpoints each',
    contestants: [1, 3, 10].map((fan) =>
      service(program, (scale) => backlogOf(scale, { hosts: 'one', fanOut: fan }), name(fan)),
    ),
    targets: [
      {
        what: 'CPU per delivery with ten webhooks an owner, over that with one',
        atMost: 1,
        value: (of) => of(name(10), 'cpu') / of(name(1), 'cpu'),
      },
    ],
  };
}

function manyPartitions(program: string): Scenario {
  const name = (count: number): string => (count === 1 ? '1 partition' : `${count} partitions`);
  return {
    name: 'partitions',
    title: 'The same backlog in more partitions',
    contestants: [1, partitions, 100].map((count) =>
      service(program, (scale) => backlogOf(scale, { hosts: 'one' }, { partitions: count }), name(count)),
    ),
    targets: [
      {
        what: 'CPU per delivery with 100 partitions, over that with 12',
        atMost: 1.1,
        value: (of) => of(name(100), 'cpu') / of(name(partitions), 'cpu'),
      },
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

function cold(program: string): Scenario {
  const backlog = (scale: Scale): Backlog => {
    const { coldEndpoints: owners } = scale;
    const measured = Math.floor(owners * 0.9);
    const crowd = { certificates: owners * 2, owners, inTurn: true };
    return { ...backlogOf({ ...scale, owners, warmUp: owners, measured }, { hosts: 'each' }), crowd, partitions: 1 };
  };
  return {
    name: 'cold',
    title: 'A hundred thousand endpoints in turn, each connected to a second time',
    rounds: 1,
    contestants: [
      service(program, backlog),
      { name: names.bare, run: (stage, scale) => runBareResumption(stage, backlog(scale)) },
    ],
    targets: [
      { what: 'second connections that resume nothing', atMost: 0.05, value: (of) => 1 - of(names.service, 'resumed') },
      {
        what: 'CPU per delivery, over bare resumption',
        atMost: 1.2,
        value: (of) => of(names.service, 'cpu') / of(names.bare, 'cpu'),
      },
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
      { what: 'longest turn of the event loop, ms', atMost: 50, value: value('longestTurnMs') },
    ],
  };
}

type BacklogOf = (scale: Scale) => Backlog;

function service(program: string, backlog: BacklogOf, name: string = names.service): Contestant {
  return { name, run: (stage, scale) => runService(stage, backlog(scale), program) };
}

function undici(backlog: BacklogOf): Contestant {
  return { name: names.undici, run: (stage, scale) => runUndiciAlone(stage, backlog(scale)) };
}

function kafkajs(backlog: BacklogOf): Contestant {
  return { name: names.kafkajs, run: (stage, scale) => runKafkajsAlone(stage, backlog(scale)) };
}

function backlogOf(
  { owners, warmUp, measured }: Scale,
  { hosts, fanOut: fan = 1 }: Pick<Subscribers, 'hosts'> & Partial<Subscribers>,
  differing: Partial<Backlog> = {},
): Backlog {
  return {
    // A few more than are measured: the last ones have nobody behind them.
    crowd: { certificates: Math.ceil(((warmUp + measured) * 1.1) / fan), owners },
    partitions,
    subscribers: { owners, fanOut: fan, hosts },
    answerAfterMs: 0,
    warmUp,
    measured,
    ...differing,
  };
}
