import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { gatesPolicy } from '../../../../../src/backpressure/limits.ts';
import { Attempts } from '../../../../../src/deliveries/attempts.ts';
import { Gates } from '../../../../../src/deliveries/gates/gates.ts';
import { createRequestHeads } from '../../../../../src/deliveries/request.ts';
import { systemClock } from '../../../../../src/lib/clock.ts';
import type { Webhook } from '../../../../../src/webhooks/webhook.ts';
import { aDelivery } from '../../../../support/builders.ts';
import { defaultSettings } from '../../../../support/service/default-settings.ts';
import { ignoredProgress } from '../../../../support/service/record-context.ts';
import { ClientUnderTest, identity } from '../../client-under-test.ts';
import type { SoakPorts } from './flooding-process.ts';

export interface SoakFigures {
  /** Healthy deliveries without and with the hostile endpoints: from the due time to the outcome, in ms. */
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  readonly failedHealthy: number;
  /** Attempts at each hostile endpoint. Deliveries that an open circuit refuses do not count. */
  readonly hostileAttempts: Readonly<Record<string, number>>;
  /** The memory of the process, in MiB: after a third of the time beside the hostile endpoints, and at the end. */
  readonly memoryMiB: readonly [afterThird: number, atEnd: number];
}

/** The interval between two healthy deliveries. */
const intervalMs = 20;
/** The interval between two deliveries to one hostile endpoint. Ten of them get as many as the healthy one. */
const hostileIntervalMs = 200;

/**
 * Runs the HTTP client behind its gates, with the default settings. Delivers to a healthy endpoint for so long, then again
 * beside all hostile endpoints.
 */
export async function runSoak(ms: number): Promise<SoakFigures> {
  await using healthy = await startEndpoints('healthy');
  await using hostile = await startEndpoints('hostile');
  await using client = new ClientUnderTest({ maxIdleConnections: 2048 });
  using soak = createSoak(client, [...healthy.ports, ...hostile.ports]);
  await soak.healthy(500);
  const alone = await soak.healthy(ms);
  const stop = new AbortController();
  const workers = hostile.ports.map(({ name }) => soak.hostile(name, stop.signal));
  const afterThird = delay(ms / 3).then(memoryMiB);
  const beside = await soak.healthy(ms);
  stop.abort();
  const attempts = await Promise.all(workers);
  return {
    alone: alone.latencies,
    beside: beside.latencies,
    failedHealthy: alone.failed + beside.failed,
    hostileAttempts: Object.fromEntries(hostile.ports.map(({ name }, index) => [name, attempts[index] ?? 0])),
    memoryMiB: [await afterThird, memoryMiB()],
  };
}

function memoryMiB(): number {
  return Math.round(process.memoryUsage.rss() / 2 ** 20);
}

interface Soak extends Disposable {
  /** Delivers to the healthy endpoint at a steady pace. */
  healthy(ms: number): Promise<{ readonly latencies: readonly number[]; readonly failed: number }>;
  /** Delivers to a hostile endpoint until the signal is aborted. Resolves to the number of attempts. */
  hostile(name: string, signal: AbortSignal): Promise<number>;
}

function createSoak({ client }: ClientUnderTest, ports: SoakPorts): Soak {
  const webhooks = new Map(ports.map(({ name, port }) => [name, aWebhook(name, port)]));
  const directory = {
    ofOwner: () => [...webhooks.values()],
    byId: (id: string) => webhooks.get(id),
    caughtUp: () => Promise.resolve(),
  };
  const policy = gatesPolicy(defaultSettings());
  const gates = new Gates({ policy, clock: systemClock, events: { circuitChanged: () => undefined } });
  const heads = createRequestHeads({ userAgent: undefined, eventTypeHeader: undefined, deliveryIdHeader: undefined });
  const attempts = new Attempts({ directory, gates, http: client, heads, clock: systemClock });
  const attempt = async (webhookId: string): Promise<string> => {
    const { outcome } = await attempts.attempt(aDelivery({ webhookId }), 'first', ignoredProgress);
    return outcome.kind;
  };
  return {
    async healthy(ms) {
      const begin = performance.now();
      const dues = Array.from({ length: ms / intervalMs }, (_, index) => begin + index * intervalMs);
      let failed = 0;
      const latencies = dues.map(async (due) => {
        await delay(Math.max(1, due - performance.now()));
        if ((await attempt('healthy')) !== 'delivered') failed += 1;
        return performance.now() - due;
      });
      return { latencies: await Promise.all(latencies), failed };
    },
    async hostile(name, signal) {
      let made = 0;
      const running: Promise<void>[] = [];
      while (!signal.aborted) {
        const count = attempt(name).then((kind) => void (made += kind === 'circuit_open' ? 0 : 1));
        running.push(count);
        await delay(hostileIntervalMs);
      }
      await Promise.all(running);
      return made;
    },
    [Symbol.dispose]: () => gates[Symbol.dispose](),
  };
}

function aWebhook(id: string, port: number): Webhook {
  const url = new URL(`https://a.test:${port}/`);
  return {
    id,
    ownerId: aDelivery().ownerId,
    state: 'active',
    wants: () => true,
    endpoint: () => ({ url, authentication: { authType: 'none' }, customHeaders: {} }),
  };
}

/** Starts endpoints in a process of their own. */
export async function startEndpoints(
  kind: 'healthy' | 'hostile',
): Promise<AsyncDisposable & { readonly ports: SoakPorts }> {
  const child = fork(new URL('flooding-process.ts', import.meta.url).pathname, [kind], { execArgv: [] });
  child.send(identity);
  const [ports] = (await once(child, 'message')) as [SoakPorts];
  return {
    ports,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
