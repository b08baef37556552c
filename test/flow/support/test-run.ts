import type { Pool } from '../../../src/deliveries/delivery.ts';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import { DeliveryRun, type OwnerPart } from '../../../src/flow/delivery-run.ts';
import type { Gates } from '../../../src/flow/gates.ts';
import type { Webhook } from '../../../src/webhooks/webhook.ts';

/** The right to send one request. */
export interface Permit {
  readonly kind: 'permit';
  readonly run: DeliveryRun;
  release(outcome: Outcome | undefined): void;
  withdraw(): void;
}

export type Entry = Permit | { readonly kind: 'refused'; readonly outcome: Outcome };

interface TestRunOptions {
  readonly owner: OwnerPart;
  readonly pool?: Pool | undefined;
  readonly backSince?: number | undefined;
}

/** A delivery that asks for a permit, and does nothing with it. */
export class TestRun extends DeliveryRun {
  readonly pool: Pool;
  readonly backSince: number | undefined;
  readonly #later = Promise.withResolvers<Entry>();
  #gates: Gates | undefined;

  constructor({ owner, pool = 'first', backSince }: TestRunOptions) {
    super(owner);
    this.pool = pool;
    this.backSince = backSince;
  }

  /** Returns an entry at once, or a promise of it while the delivery waits. */
  acquire(gates: Gates, webhook: Webhook): Entry | Promise<Entry> {
    this.#gates = gates;
    const answer = gates.acquire(webhook, this);
    if (answer === 'waits') return this.#later.promise;
    return answer === 'permit' ? this.#permit() : { kind: 'refused', outcome: answer };
  }

  protected permitted(): void {
    this.#later.resolve(this.#permit());
  }

  protected refused(outcome: Outcome): void {
    this.#later.resolve({ kind: 'refused', outcome });
  }

  #permit(): Permit {
    return {
      kind: 'permit',
      run: this,
      release: (outcome) => this.#gates?.release(this, outcome),
      withdraw: () => this.#gates?.withdraw(this),
    };
  }
}
