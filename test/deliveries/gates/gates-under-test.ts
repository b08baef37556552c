import type { Entry } from '../../../src/deliveries/gates/gate.ts';
import { Gates, type GatesPolicy } from '../../../src/deliveries/gates/gates.ts';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import type { Webhook } from '../../../src/webhooks/webhook.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

export const success: Outcome = { kind: 'delivered', status: 200 };
export const timeout: Outcome = { kind: 'timeout', message: 'no answer in time' };
export const refusal: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };

/** Gates with a manual clock, and endpoints by name. An endpoint is created when its name is first used. */
interface GatesUnderTest extends Disposable {
  readonly gates: Gates;
  readonly clock: ManualClock;
  acquire(id: string): Entry | Promise<Entry>;
  /** Sends requests to the endpoint one after the other, with these outcomes. */
  send(id: string, outcomes: readonly Outcome[]): void;
  inFlight(): number;
  waiting(): number;
  /** Returns the time between the free times of two deliveries that are rejected. */
  betweenFreeTimes(id: string): number;
}

export function startGates(overrides: Partial<GatesPolicy> = {}): GatesUnderTest {
  const clock = new ManualClock();
  const policy = aPolicy({ capacity: capacityOf(384, 3750), ...overrides });
  const gates = new Gates({ policy, clock, events: { circuitChanged: () => undefined } });
  const webhooks = new Map<string, Webhook>();
  const webhookOf = (id: string): Webhook => {
    const webhook = webhooks.get(id) ?? aWebhook(id);
    webhooks.set(id, webhook);
    return webhook;
  };
  const acquire = (id: string): Entry | Promise<Entry> => gates.acquire(webhookOf(id), 'first');
  return {
    gates,
    clock,
    acquire,
    send: (id, outcomes) => outcomes.forEach((outcome) => release(acquire(id), outcome)),
    inFlight: () => gates.pools()[0]?.inFlight ?? 0,
    waiting: () => gates.pools()[0]?.waiting ?? 0,
    betweenFreeTimes: (id) => {
      const [one, other] = [freeTimeOf(acquire(id)), freeTimeOf(acquire(id))];
      return other - one;
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
    failures: 10,
    cooldownMs: 30_000,
    maxAgeMs: 259_200_000,
    ...overrides,
  };
}

export function capacityOf(inFlight: number, waiting = 10_000): GatesPolicy['capacity'] {
  return { first: { inFlight, waiting }, retry: { inFlight: 1, waiting } };
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
  return isOverloaded ? entry.outcome.freeAt : Number.NaN;
}

export function aWebhook(id: string): Webhook {
  const endpoint = () => ({
    url: new URL('https://hooks.test/'),
    authentication: { authType: 'none' as const },
    customHeaders: {},
  });
  return { id, ownerId: 'owner', state: 'active', wants: () => true, endpoint };
}
