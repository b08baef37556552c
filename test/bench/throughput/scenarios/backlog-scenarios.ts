import { runBareLoop, runKafkajsAlone, runService, runUndiciAlone, type Backlog } from './backlog.ts';
import type { Scale } from '../scale.ts';
import { names, type Scenario, type System } from './scenario.ts';
import type { Subscribers } from '../subscribers.ts';

const partitions = 12;

/** Scenarios in which records wait in the topic, and the throughput is measured. */
export function backlogScenarios(): readonly Scenario[] {
  return [oneHost(), hostPerOwner(), fanOut(), manyPartitions(), results()];
}

function oneHost(): Scenario {
  const backlog = (scale: Scale): Backlog => backlogOf(scale, { hosts: 'one' });
  return {
    name: 'one-host',
    kind: 'limited',
    title: 'One host that answers at once',
    systems: [service(backlog), undici(backlog), kafkajs(backlog), bareLoop(backlog)],
    targets: [
      {
        what: 'CPU per delivery, relative to undici and kafkajs alone together',
        atMost: 1.3,
        value: (median) => median(names.service, 'cpu') / (median(names.undici, 'cpu') + median(names.kafkajs, 'cpu')),
      },
    ],
  };
}

function hostPerOwner(): Scenario {
  const answerAfterMs = 50;
  const backlog = (scale: Scale): Backlog => backlogOf(scale, { hosts: 'each' }, { answerAfterMs });
  return {
    name: 'host-per-owner',
    kind: 'limited',
    title: `A host per owner that answers after ${answerAfterMs} ms`,
    systems: [service(backlog), undici(backlog)],
    targets: [
      {
        what: 'CPU per delivery, relative to undici alone',
        atMost: 1.8,
        value: (median) => median(names.service, 'cpu') / median(names.undici, 'cpu'),
      },
      {
        what: 'connections opened per delivery',
        atMost: 0.15,
        value: (median) => median(names.service, 'connections'),
      },
    ],
  };
}

function fanOut(): Scenario {
  const name = (webhooks: number): string => `${webhooks} ${webhooks === 1 ? 'webhook' : 'webhooks'} per owner`;
  return {
    name: 'fan-out',
    kind: 'variation',
    title: 'One host, several webhooks per owner',
    systems: [1, 10].map((webhooks) =>
      service((scale) => backlogOf(scale, { hosts: 'one', webhooksPerOwner: webhooks }), name(webhooks)),
    ),
    targets: [
      {
        what: 'CPU per delivery with 10 webhooks per owner, relative to 1',
        atMost: 1,
        value: (median) => median(name(10), 'cpu') / median(name(1), 'cpu'),
      },
    ],
  };
}

function manyPartitions(): Scenario {
  const name = (count: number): string => `${count} partitions`;
  return {
    name: 'partitions',
    kind: 'variation',
    title: 'One host, several partitions',
    systems: [partitions, 100].map((count) =>
      service((scale) => backlogOf(scale, { hosts: 'one' }, { partitions: count }), name(count)),
    ),
    targets: [
      {
        what: 'CPU per delivery with 100 partitions, relative to 12',
        atMost: 1.1,
        value: (median) => median(name(100), 'cpu') / median(name(partitions), 'cpu'),
      },
    ],
  };
}

function results(): Scenario {
  const systems = [false, true].map((publishesResults) =>
    service(
      (scale) => backlogOf(scale, { hosts: 'one' }, { publishesResults }),
      publishesResults ? 'with a results topic' : 'without a results topic',
    ),
  );
  return { name: 'results', kind: 'variation', title: 'One host, with a results topic', systems, targets: [] };
}

type BacklogOf = (scale: Scale) => Backlog;

function service(backlog: BacklogOf, name: string = names.service): System {
  return { name, run: (environment, scale) => runService(environment, backlog(scale)) };
}

function undici(backlog: BacklogOf): System {
  return { name: names.undici, run: (environment, scale) => runUndiciAlone(environment, backlog(scale)) };
}

function kafkajs(backlog: BacklogOf): System {
  return { name: names.kafkajs, run: (environment, scale) => runKafkajsAlone(environment, backlog(scale)) };
}

function bareLoop(backlog: BacklogOf): System {
  return { name: names.bareLoop, run: (environment, scale) => runBareLoop(environment, backlog(scale)) };
}

function backlogOf(
  { owners, warmUp, measured }: Scale,
  { hosts, webhooksPerOwner = 1 }: Pick<Subscribers, 'hosts'> & Partial<Subscribers>,
  changes: Partial<Backlog> = {},
): Backlog {
  return {
    // More than are measured, so that the last measured deliveries still have others behind them.
    certificates: { count: Math.ceil(((warmUp + measured) * 1.1) / webhooksPerOwner), owners },
    partitions,
    subscribers: { owners, webhooksPerOwner, hosts },
    answerAfterMs: 0,
    warmUp,
    measured,
    ...changes,
  };
}
