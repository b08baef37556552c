import type { Pool } from '../deliveries/delivery.ts';

/** A quarter of what the process has is for retries alone, the rest for first attempts alone; each has at least one. */
export function divide(total: number): Readonly<Record<Pool, number>> {
  const retry = Math.max(1, Math.floor(total / 4));
  return { first: Math.max(1, total - retry), retry };
}
