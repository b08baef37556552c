import { runBareResumption, runKafkajsAlone, runService, runUndiciAlone, type Backlog } from './backlog.ts';
import { runInstances } from './instances.ts';
import type { Scale } from './scale.ts';
import { names, type Contestant, type Scenario } from './scenario.ts';
import type { Subscribers } from './subscribers.ts';

const partitions = 12;

/** A backlog is there, and the service gets through it. */
export function backlogScenarios(program: string): readonly Scenario[] {
  return [
    oneHost(program),
    ...[0, 10, 50, 100].map((answerAfterMs) => hostPerOwner(program, answerAfterMs)),
    fanOut(program),
    manyPartitions(program),
    instances(program),
    cold(program),
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
    profiled: name(100),
    targets: [
      {
        what: 'CPU per delivery with 100 partitions, over that with 12',
        atMost: 1.1,
        value: (of) => of(name(100), 'cpu') / of(name(partitions), 'cpu'),
      },
    ],
  };
}

function instances(program: string): Scenario {
  const backlog = (scale: Scale): Backlog => backlogOf(scale, { hosts: 'one' });
  return {
    name: 'instances',
    title: 'The same backlog for more instances, which share a processor',
    contestants: [1, 2, 4].map((count) => ({
      name: count === 1 ? '1 instance' : `${count} instances`,
      run: (stage, scale) => runInstances(stage, backlog(scale), { count, program }),
    })),
    targets: [],
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
