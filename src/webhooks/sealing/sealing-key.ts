import type { KeyObject } from 'node:crypto';
import type { Method } from './methods.ts';

/** One key of the set. A `KeyObject` never prints its key material. */
export interface SealingKey {
  readonly kid: string | undefined;
  /** The methods that the key may be used for. Sealing uses the first one. */
  readonly methods: readonly Method[];
  /** Undefined if the key can't open: a public half, or a secret key whose `key_ops` forbid it. */
  readonly opening: KeyObject | undefined;
  /** Undefined if the key may only open, as a key that is being retired. */
  readonly sealing: KeyObject | undefined;
}

export type ReadKey =
  | { readonly kind: 'key'; readonly key: SealingKey }
  | { readonly kind: 'for signatures' }
  /** The problem completes a sentence about the key, and contains no key material. */
  | { readonly kind: 'unusable'; readonly problem: string };
