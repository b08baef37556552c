import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pool } from '../../src/deliveries/delivery.ts';
import type { Entry, Permit } from './support/test-run.ts';
import { casesOf, longProperty } from '../support/long-property.ts';
import { capacityOf, failure, startGates, success, type GatesUnderTest } from './support/gates-under-test.ts';

type Step =
  | { readonly kind: 'acquire'; readonly id: string; readonly pool: Pool }
  | { readonly kind: 'release'; readonly which: number; readonly isSuccess: boolean }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'limit'; readonly id: string; readonly inFlight: number }
  | { readonly kind: 'drain'; readonly pool: Pool };

const cases = casesOf(500);
const pool = fc.constantFrom<Pool>('first', 'first', 'retry');
const id = fc.constantFrom('a', 'a', 'b', 'c', 'd');
const kind = <Kind extends Step['kind']>(one: Kind): fc.Arbitrary<Kind> => fc.constant(one);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: kind('acquire'), id, pool }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('release'), which: fc.nat(1000), isSuccess: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('advance'), ms: fc.constantFrom(1, 400, 1000, 3000) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('limit'), id, inFlight: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('drain'), pool }) },
);

/** A delivery that has asked for a permit. */
interface Asked {
  readonly id: string;
  readonly pool: Pool;
  readonly calls: string[];
  entries: Entry[];
}

/** Asks the gates, and holds the permits until the test releases them. */
class Deliveries {
  readonly asked: Asked[] = [];
  permits: Permit[] = [];
  /** Permits beyond the limit of their webhook at that time. */
  readonly excess: string[] = [];
  readonly #limits = new Map<string, number>();
  readonly #test: GatesUnderTest;

  constructor(test: GatesUnderTest) {
    this.#test = test;
  }

  async run(one: Step): Promise<void> {
    switch (one.kind) {
      case 'acquire':
        this.#ask(one);
        break;
      case 'release':
        this.#release(one.which, one.isSuccess);
        break;
      case 'advance':
        await this.#test.clock.advance(one.ms);
        break;
      case 'limit':
        this.#test.limit(one.id, { inFlight: one.inFlight });
        this.#limits.set(one.id, one.inFlight);
        break;
      case 'drain':
        this.#test.gates.drain(one.pool);
        this.#test.gates.open(one.pool);
        break;
    }
    await this.#test.clock.advance(0);
  }

  #release(which: number, isSuccess: boolean): void {
    for (const permit of this.permits.splice(which % Math.max(1, this.permits.length), 1)) {
      permit.release(isSuccess ? success : failure);
    }
  }

  #ask({ id: forId, pool: inPool }: { readonly id: string; readonly pool: Pool }): void {
    const asked: Asked = { id: forId, pool: inPool, calls: [], entries: [] };
    this.asked.push(asked);
    const note = (entry: Entry): void => {
      asked.entries.push(entry);
      if (entry.kind !== 'permit') return;
      this.permits.push(entry);
      const inFlight = this.#test.gates.of(forId)?.inFlight ?? 0;
      if (inFlight > (this.#limits.get(forId) ?? inFlight)) this.excess.push(forId);
    };
    const entry = this.#test.acquire(forId, { pool: inPool, calls: asked.calls });
    if (entry instanceof Promise) void entry.then(note);
    else note(entry);
  }
}

it(
  `each of many deliveries gets one entry within the limits, and nothing is left in the end, in ${cases} runs`,
  { ...longProperty(), timeout: 600_000 },
  async () => {
    const run = async (steps: readonly Step[]): Promise<void> => {
      using test = startGates({
        maxInFlight: 3,
        maxWaiting: 3,
        maxWaitMs: 5000,
        failures: 4,
        cooldownMs: 2000,
        capacity: capacityOf(8, { retry: 4, suspectWaiting: 6 }),
      });
      const deliveries = new Deliveries(test);
      for (const next of steps) {
        await deliveries.run(next);
        for (const { inFlight, limit } of test.gates.pools()) expect(inFlight).toBeLessThanOrEqual(limit);
        for (const gate of test.gates.all()) expect(gate.inFlight).toBeLessThanOrEqual(3);
        const inFlight = test.gates.pools().reduce((sum, one) => sum + one.inFlight, 0);
        expect(inFlight).toBe(deliveries.permits.length);
      }
      // Whatever waits gets its turn as the requests end.
      await test.clock.advance(0);
      while (deliveries.permits.length > 0) await deliveries.run({ kind: 'release', which: 0, isSuccess: true });
      expect(deliveries.excess).toEqual([]);
      expect(deliveries.asked.filter(({ entries }) => entries.length !== 1)).toEqual([]);
      expect(test.gates.pools()).toMatchObject([
        { inFlight: 0, waiting: 0 },
        { inFlight: 0, waiting: 0 },
      ]);
      for (const { calls } of deliveries.asked) {
        expect(calls.filter((call) => call === 'in the room')).toHaveLength(
          calls.filter((call) => call === 'outside the room').length,
        );
      }
      for (const gate of test.gates.all())
        expect([gate.inFlight, gate.suspectInFlight('first') + gate.suspectInFlight('retry'), gate.waiting]).toEqual([
          0, 0, 0,
        ]);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 100, size: 'max' }), run), { numRuns: cases });
  },
);
