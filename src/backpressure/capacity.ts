import type { Pool } from '../deliveries/delivery.ts';
import type { GatesPolicy } from '../deliveries/gates/gates.ts';
import type { Settings } from '../settings.ts';

/** A quarter of what the process has is for retries alone, the rest for first attempts alone; each has at least one. */
export function divide(total: number): Readonly<Record<Pool, number>> {
  const retry = Math.max(1, Math.floor(total / 4));
  return { first: Math.max(1, total - retry), retry };
}

/**
 * What the gates share. Rooms hold two thirds of the records that may be held: endpoints that stand still fill these,
 * however many they are, and the rest is left to those that do not.
 */
export function gateCapacity({ delivery, intake }: Pick<Settings, 'delivery' | 'intake'>): GatesPolicy['capacity'] {
  const inFlight = divide(delivery.maxInFlight);
  const records = divide(intake.maxRecords);
  const of = (pool: Pool): GatesPolicy['capacity'][Pool] => ({
    inFlight: inFlight[pool],
    waiting: Math.ceil((records[pool] * 2) / 3),
  });
  return { first: of('first'), retry: of('retry') };
}
