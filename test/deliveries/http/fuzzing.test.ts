import { expect, it, vi } from 'vitest';
import { casesOf, longProperty } from '../../support/long-property.ts';
import type { RequestOutcome } from '../../../src/deliveries/outcome.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { Random } from '../../simulation/random.ts';
import { ClientUnderTest, identity, patience } from './client-under-test.ts';
import { startHostileEndpoint } from './hostile/endpoint.ts';
import { generateResponse } from './hostile/response.ts';

const seed = Number(process.env['FUZZING_SEED'] ?? 20_261_121);
const requests = casesOf(20_000);
/** The requests in flight at once. The clock advances when only those are left that wait for a timeout. */
const round = 250;
const timeoutMs = 15_000;
/** A generous limit, in ms, for a busy machine. */
const longPatience = { interval: 5, timeout: 600_000 };
const largeBody = Buffer.alloc(300_000, '.');

it(
  `${requests} hostile responses come to one outcome each and leave nothing behind (seed ${seed})`,
  { ...longProperty(), timeout: 600_000 },
  async () => {
    const random = new Random(seed);
    const responses = Array.from({ length: requests }, () => generateResponse(random));
    const clock = new ManualClock();
    await using endpoint = await startHostileEndpoint(identity, responses);
    await using client = new ClientUnderTest({ clock, timeoutMs, connectTimeoutMs: 10_000, maxIdleConnections: round });
    const outcomes: RequestOutcome[][] = responses.map(() => []);

    for (let first = 0; first < requests; first += round) {
      const numbers = Array.from({ length: Math.min(round, requests - first) }, (_, index) => first + index);
      const settled = numbers.map(async (number) => {
        const body = responses[number]?.early === true ? largeBody : Buffer.from('{}');
        const outcome = await client.outcome({ port: endpoint.port, path: `/${number}`, body });
        outcomes[number]?.push(outcome);
      });
      const timingOut = numbers.filter((number) => responses[number]?.outcomes[0] === 'timeout').length;
      const hasEnded = (number: number): boolean => outcomes[number]?.length === 1;
      await vi.waitUntil(() => numbers.filter(hasEnded).length >= numbers.length - timingOut, longPatience);
      // The remaining timers are those of responses that hang, within the head or within the body.
      const hanging = numbers.filter((number) => responses[number]?.ending === 'hang').length;
      await vi.waitUntil(() => clock.pending <= hanging, longPatience);
      await clock.advance(timeoutMs);
      await Promise.all(settled);
    }

    const unexpected = responses.flatMap(({ kind, outcomes: expected }, number) => {
      const found = outcomes[number]?.map((outcome) => outcome.kind) ?? [];
      const isExpected = found.length === 1 && found.every((one) => expected.includes(one));
      return isExpected ? [] : [{ number, kind, found: outcomes[number] }];
    });
    expect(unexpected).toEqual([]);
    // A request is sent again only if a reused connection closed before any byte, and never a third time.
    expect(endpoint.arrivals.size).toBe(requests);
    expect(Math.max(...endpoint.arrivals.values())).toBeLessThanOrEqual(2);

    await vi.waitUntil(() => client.client.state().open === client.client.state().idle, patience);
    expect(clock.pending).toBe(0);
    await client[Symbol.asyncDispose]();
    expect(client.client.state()).toEqual({ open: 0, idle: 0 });
    await expect.poll(() => endpoint.connectionsOpen, patience).toBe(0);
  },
);
