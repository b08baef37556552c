import type { GatesPolicy } from '../../../src/flow/limits.ts';
import type { EndpointHealth } from '../../../src/flow/endpoint-health.ts';
import { Gates, type GateEvents } from '../../../src/flow/gates.ts';
import type { Pool } from '../../../src/deliveries/delivery.ts';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import type { Webhook, WebhookLimits } from '../../../src/webhooks/webhook.ts';
import { anOwner } from '../../support/service/record-context.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { TestRun, type Entry } from './test-run.ts';

export const success: Outcome = { kind: 'delivered', status: 200 };
export const timeout: Outcome = { kind: 'timeout', message: 'no answer in time' };
export const failure: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };

interface AskOptions {
  readonly pool?: Pool;
  readonly calls?: string[];
  /** The time at which a delivery was planned that is back at its free time. */
  readonly backSince?: number;
}

/** Gates with a manual clock, and endpoints by name. An endpoint is created when its name is first used. */
export interface GatesUnderTest extends Disposable {
  readonly gates: Gates;
  readonly clock: ManualClock;
  /** Adds what the gates report about the delivery to `calls`. */
  acquire(id: string, options?: AskOptions): Entry | Promise<Entry>;
  /** Acquires a permit for this version of a webhook. */
  acquireFor(webhook: Webhook): Entry | Promise<Entry>;
  /** Replaces the configuration of the endpoint by one with these limits. */
  limit(id: string, limits: WebhookLimits | undefined): void;
  /** Sends requests to the endpoint one after the other, with these outcomes. */
  send(id: string, outcomes: readonly Outcome[]): void;
  inFlight(): number;
  waiting(): number;
  health(id: string): EndpointHealth | undefined;
  /** Changes of circuits, in order. */
  readonly changes: readonly string[];
  /** Returns the time between the free times of two retries that are rejected. */
  betweenFreeTimes(id: string): number;
}

export function startGates(overrides: Partial<GatesPolicy> = {}): GatesUnderTest {
  const clock = new ManualClock();
  const policy = aPolicy({ capacity: capacityOf(384, { retry: 128 }), ...overrides });
  const changes: string[] = [];
  const events: GateEvents = { circuitChanged: ({ from, to }) => void changes.push(`${from} > ${to}`) };
  const webhooks = new Map<string, Webhook>();
  const gates = new Gates({ policy, directory: { byId: (id) => webhooks.get(id) }, clock, listeners: [events] });
  const webhookOf = (id: string): Webhook => {
    const webhook = webhooks.get(id) ?? aWebhook(id);
    webhooks.set(id, webhook);
    return webhook;
  };
  const acquire: GatesUnderTest['acquire'] = (id, { pool = 'first', calls, backSince } = {}) =>
    new TestRun({ owner: anOwner(calls), pool, backSince }).acquire(gates, webhookOf(id));
  return {
    gates,
    clock,
    changes,
    acquire,
    acquireFor: (webhook) => new TestRun({ owner: anOwner() }).acquire(gates, webhook),
    limit: (id, limits) => void webhooks.set(id, { ...aWebhook(id), limits }),
    health: (id) => [...gates.all()].find(({ webhook }) => webhook.id === id)?.health,
    send: (id, outcomes) => outcomes.forEach((outcome) => release(acquire(id), outcome)),
    inFlight: () => gates.pools()[0]?.inFlight ?? 0,
    waiting: () => gates.pools()[0]?.waiting ?? 0,
    betweenFreeTimes: (id) => {
      const [one, other] = [1, 2].map(() => freeTimeOf(acquire(id, { pool: 'retry' })));
      return (other ?? Number.NaN) - (one ?? Number.NaN);
    },
    [Symbol.dispose]: () => gates[Symbol.dispose](),
  };
}

/** The policy of the default settings. */
export function aPolicy(overrides: Partial<GatesPolicy> & Pick<GatesPolicy, 'capacity'>): GatesPolicy {
  return {
    maxInFlight: 16,
    maxWaiting: 256,
    maxWaitMs: 15_000,
    lateAfterMs: 1000,
    refusalsPerTurn: 32,
    failures: 10,
    cooldownMs: 30_000,
    maxAgeMs: 259_200_000,
    ...overrides,
  };
}

/** Returns the capacity of these requests in flight. A quarter of them is for suspect endpoints, as by default. */
export function capacityOf(first: number, { retry = 1, suspectWaiting = 10_000 } = {}): GatesPolicy['capacity'] {
  const of = (inFlight: number) => ({ inFlight, suspectInFlight: Math.ceil(inFlight / 4), suspectWaiting });
  return { first: of(first), retry: of(retry) };
}

/** Ends the request of a permit with this outcome. Does nothing without a permit. */
export function release(entry: Entry | Promise<Entry> | undefined, outcome: Outcome): void {
  if (entry !== undefined && 'kind' in entry && entry.kind === 'permit') entry.release(outcome);
}

/** Resolves to undefined while the delivery waits. */
export async function entryNow(entry: Entry | Promise<Entry> | undefined): Promise<Entry | undefined> {
  return Promise.race([entry, Promise.resolve().then(() => undefined)]);
}

function freeTimeOf(entry: Entry | Promise<Entry>): number {
  const isOverloaded = 'kind' in entry && entry.kind === 'refused' && entry.outcome.kind === 'overloaded';
  return isOverloaded ? entry.outcome.freeInMs : Number.NaN;
}

export function aWebhook(id: string): Webhook {
  const endpoint = {
    url: new URL('https://hooks.test/'),
    authentication: { authType: 'none' },
    customHeaders: {},
  } as const;
  return { id, ownerId: 'owner', state: 'active', wants: () => true, endpoint: () => endpoint };
}
