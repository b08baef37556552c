import type { KeyObject } from 'node:crypto';
import type { Method } from './methods.ts';

/** One key of the set. Key objects print nothing of what they hold. */
export interface SealingKey {
  readonly kid: string | undefined;
  /** What it may be used for, the one it seals by first. */
  readonly methods: readonly Method[];
  /** Undefined when only the public half is known. */
  readonly opening: KeyObject | undefined;
  /** Undefined when it may only open any more: a key that is on its way out. */
  readonly sealing: KeyObject | undefined;
}

export type ReadKey =
  | { readonly kind: 'key'; readonly key: SealingKey }
  | { readonly kind: 'for signatures' }
  /** Completes a sentence about the key. Nothing of the key is in it. */
  | { readonly kind: 'unusable'; readonly problem: string };
