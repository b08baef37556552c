import type { Entry } from '../../../src/deliveries/gates/gate.ts';
import { Gates, type GatesPolicy } from '../../../src/deliveries/gates/gates.ts';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import type { Webhook } from '../../../src/webhooks/webhook.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

export const success: Outcome = { kind: 'delivered', status: 200 };
export const timeout: Outcome = { kind: 'timeout', message: 'no answer in time' };
export const refusal: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };

/** Gates at a clock moved by hand, and endpoints by their names: each is there once it is named. */
export interface Crowd extends Disposable {
  readonly gates: Gates;
  readonly clock: ManualClock;
  enter(id: string): Entry | Promise<Entry>;
  /** Requests to it come to this, one after the other. */
  let(id: string, outcomes: readonly Outcome[]): void;
  inFlight(): number;
  waiting(): number;
  /** Of two that find the room full: how far apart their slots are. */
  betweenSlots(id: string): number;
}

export function startCrowd(overrides: Partial<GatesPolicy> = {}): Crowd {
  const clock = new ManualClock();
  const policy = aPolicy({ capacity: capacityOf(384, 3750), ...overrides });
  const gates = new Gates({ policy, clock, events: { circuitChanged: () => undefined } });
  const webhooks = new Map<string, Webhook>();
  const webhookOf = (id: string): Webhook => {
    const webhook = webhooks.get(id) ?? aWebhook(id);
    webhooks.set(id, webhook);
    return webhook;
  };
  const enter = (id: string): Entry | Promise<Entry> => gates.acquire(webhookOf(id), 'first');
  return {
    gates,
    clock,
    enter,
    let: (id, outcomes) => outcomes.forEach((outcome) => leave(enter(id), outcome)),
    inFlight: () => gates.pools()[0]?.inFlight ?? 0,
    waiting: () => gates.pools()[0]?.waiting ?? 0,
    betweenSlots: (id) => {
      const [one, other] = [slotOf(enter(id)), slotOf(enter(id))];
      return other - one;
    },
    [Symbol.dispose]: () => gates[Symbol.dispose](),
  };
}

/** That of the default settings. */
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

/** The request comes to this, if there is one. */
export function leave(entry: Entry | Promise<Entry> | undefined, outcome: Outcome): void {
  if (entry !== undefined && 'kind' in entry && entry.kind === 'permit') entry.release(outcome);
}

/** Undefined while it waits. */
export async function soon(entry: Entry | Promise<Entry> | undefined): Promise<Entry | undefined> {
  return Promise.race([entry, Promise.resolve().then(() => undefined)]);
}

function slotOf(entry: Entry | Promise<Entry>): number {
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
