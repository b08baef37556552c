import type { NetworkEffect, Request } from '../broker/broker-connection.ts';
import type { Chooser, SimulatedEnvironment } from '../environment/environment.ts';
import type { Instance } from '../environment/instance.ts';
import { topics, type Behaviour } from '../scenario/scenario.ts';

/** The ways in which a point of a run can go. The first one is usual, the others are deviations. */
const alternatives = {
  fetch: ['served', 'lost', 'late'],
  configurations: ['served', 'lost', 'late', 'grown', 'open_transaction', 'withhold'],
  offsets: ['served', 'lost', 'late'],
  metadata: ['served', 'lost'],
  join: ['served', 'lost', 'unanswered'],
  sync: ['served', 'lost', 'unanswered'],
  heartbeat: ['served', 'lost', 'unanswered'],
  leave: ['served', 'lost', 'unanswered'],
  produce: ['served', 'lost', 'unanswered', 'refused', 'late', 'killed', 'stalled', 'stopped', 'started', 'clock'],
  commit: ['served', 'lost', 'unanswered', 'refused', 'late', 'killed', 'stalled', 'stopped', 'started'],
  request: ['prompt', 'failing', 'down', 'unresponsive', 'disconnecting', 'killed', 'stalled', 'stopped', 'clock'],
} as const;

/** Returns what can happen to what, a line each. */
export function describeScope(): string {
  return Object.entries(alternatives)
    .map(([what, ways]) => `${what}: ${ways.join(', ')}`)
    .join('\n');
}

export type Alternative = (typeof alternatives)[keyof typeof alternatives][number];

/** A point at which a run could have gone on in another way. */
export interface Point {
  readonly what: string;
  readonly alternatives: readonly Alternative[];
}

/** Deviations by the number of their point. */
export type Deviations = ReadonlyMap<number, Alternative>;

/** Time in ms after which a process learns that a request was lost. */
const lostAfterMs = 300;
/** Time in ms by which a request is late: longer than a request of an endpoint takes, shorter than a session. */
const lateMs = 2000;
const usualLatencyMs = 2;
/** Longer than a session of 10 s. The process wakes up as one that the group has expelled. */
export const stallMs = 12_000;
const clockMs = 3_600_000;

/** Chooses the usual way at each point within a window of time, except for the deviations, and keeps the points. */
export class Choices implements Chooser {
  readonly points: Point[] = [];
  readonly #deviations: Deviations;
  /** Webhooks whose endpoints fail from some request on, until the window ends. */
  readonly #down = new Set<string>();
  readonly #window: { readonly fromMs: number; readonly toMs: number };

  constructor(deviations: Deviations, window: { readonly fromMs: number; readonly toMs: number }) {
    this.#deviations = deviations;
    this.#window = window;
  }

  network(instance: number, environment: SimulatedEnvironment) {
    const late = new Set<Request>();
    return {
      effectOn: (request: Request): NetworkEffect => {
        if (request.kind === 'schema') return { kind: 'served' };
        const kind = isOfConfigurations(request) ? 'configurations' : request.kind;
        const chosen = this.#choose(`instance-${instance}: ${describe(request)}`, kind, environment);
        if (chosen === 'late') late.add(request);
        if (chosen === 'lost' || chosen === 'unanswered') return { kind: chosen, afterMs: lostAfterMs };
        if (chosen === 'refused')
          return {
            kind: 'refused',
            type: request.kind === 'commit' ? 'GROUP_LOAD_IN_PROGRESS' : 'NOT_ENOUGH_REPLICAS',
          };
        this.#disturb(chosen, `instance-${instance}`, environment);
        return { kind: 'served' };
      },
      latencyMs: (request: Request) => (late.delete(request) ? lateMs : usualLatencyMs),
    };
  }

  reaction(
    {
      instance,
      deliveryId,
      webhookId,
    }: { readonly instance: string; readonly deliveryId: string; readonly webhookId: string },
    environment: SimulatedEnvironment,
  ): Behaviour {
    const chosen = this.#choose(`${instance}: ${webhookId} gets ${deliveryId}`, 'request', environment);
    this.#disturb(chosen, instance, environment);
    if (chosen === 'down') this.#down.add(webhookId);
    if (chosen === 'prompt' || chosen === 'down') return this.#down.has(webhookId) ? 'failing' : 'prompt';
    return isBehaviour(chosen) ? chosen : 'prompt';
  }

  #choose(what: string, kind: keyof typeof alternatives, { clock, startedAt }: SimulatedEnvironment): Alternative {
    const ms = clock.now() - startedAt;
    const [usual] = alternatives[kind];
    if (ms >= this.#window.toMs) this.#down.clear();
    if (ms < this.#window.fromMs || ms >= this.#window.toMs) return usual;
    this.points.push({ what: `${ms} ms, ${what}`, alternatives: alternatives[kind] });
    return this.#deviations.get(this.points.length - 1) ?? usual;
  }

  #disturb(chosen: Alternative, name: string, environment: SimulatedEnvironment): void {
    const instance = environment.instances.find((one) => one.name === name);
    if (instance !== undefined) disturbances[chosen]?.(instance, environment);
  }
}

type Disturb = (instance: Instance, environment: SimulatedEnvironment) => void;

const disturbances: Readonly<Partial<Record<Alternative, Disturb>>> = {
  killed: (instance) => instance.kill(),
  stalled: (instance) => instance.stall(stallMs),
  stopped: (instance) => void instance.stop(),
  clock: (instance) => instance.setClock(clockMs),
  started: (_, environment) => environment.perform({ kind: 'start', atMs: 0 }),
  grown: (_, environment) => environment.perform({ kind: 'grow_configurations', atMs: 0 }),
  open_transaction: disturbConfigurations('open_transaction'),
  withhold: disturbConfigurations('withhold'),
};

function disturbConfigurations(how: 'open_transaction' | 'withhold'): Disturb {
  return (_, environment) => environment.perform({ kind: 'disturb_configurations', atMs: 0, partition: 0, how });
}

function isBehaviour(chosen: Alternative): chosen is Extract<Alternative, Behaviour> {
  return ['failing', 'unresponsive', 'disconnecting'].includes(chosen);
}

function isOfConfigurations(request: Request): boolean {
  return request.kind === 'fetch' && request.topics.includes(topics.configurations);
}

function describe(request: Request): string {
  if (request.kind === 'produce') return `produce ${request.topic}`;
  return request.kind === 'fetch' ? `fetch ${request.topics.join()}` : request.kind;
}
