import type { AttemptResult } from '../../../src/deliveries/attempt-result.ts';
import { pools } from '../../../src/deliveries/delivery.ts';
import type { DeliveryRun } from '../../../src/flow/delivery-run.ts';
import type { Gates } from '../../../src/flow/gates.ts';
import { occupation, type Occupied } from '../../../src/flow/occupation.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Attempts, RunningDelivery } from '../../../src/pipeline/running-delivery.ts';

/** Compares what the gates of one process count with the states of its deliveries, after each step of its clock. */
export class OccupationCheck {
  readonly #runs = new Set<DeliveryRun>();
  #gates: Gates | undefined;

  /** Returns a clock that checks after each timer. */
  watch(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, run) =>
        clock.after(ms, () => {
          run();
          this.#check();
        }),
    };
  }

  /** Returns attempts whose deliveries are checked. */
  attempts(attempts: Attempts, gates: Gates): Pick<Attempts, 'attempt'> {
    this.#gates = gates;
    return {
      attempt: (delivery: RunningDelivery, onResult?: (result: AttemptResult) => void) => {
        this.#runs.add(delivery);
        attempts.attempt(delivery, onResult);
      },
    };
  }

  #check(): void {
    const gates = this.#gates;
    if (gates === undefined) return;
    for (const run of this.#runs) if (run.state === 'ended') this.#runs.delete(run);
    const runs = [...this.#runs];
    for (const { pool, inFlight, waiting } of gates.pools()) {
      const own = runs.filter((run) => run.pool === pool);
      compare(`the pool ${pool}`, [inFlight, waiting], [requests(own), lines(own)]);
    }
    const ofGates = Map.groupBy(runs.filter(isAtEndpoint), ({ gate }) => gate);
    for (const gate of gates.all()) {
      const own = ofGates.get(gate) ?? [];
      const suspect = pools.reduce((sum, pool) => sum + gate.suspectInFlight(pool), 0);
      const name = `the gate of ${gate.webhook.id}`;
      compare(
        name,
        [gate.inFlight, gate.waiting, suspect],
        [requests(own), lines(own), requests(own.filter(isSuspect))],
      );
    }
  }
}

function occupied({ state }: DeliveryRun): Occupied {
  return occupation[state];
}

function requests(runs: readonly DeliveryRun[]): number {
  return runs.filter((run) => occupied(run).request).length;
}

function lines(runs: readonly DeliveryRun[]): number {
  return runs.filter((run) => occupied(run).line !== undefined).length;
}

function isAtEndpoint(run: DeliveryRun): boolean {
  return occupied(run).request === true || occupied(run).line !== undefined;
}

function isSuspect(run: DeliveryRun): boolean {
  return occupied(run).part === 'suspect';
}

function compare(name: string, counted: readonly number[], expected: readonly number[]): void {
  if (counted.every((count, index) => count === expected[index])) return;
  throw new Error(`${name} counts ${counted.join(', ')}, and its deliveries occupy ${expected.join(', ')}`);
}
