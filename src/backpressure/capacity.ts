import type { Pool } from '../deliveries/delivery.ts';
import type { GatesPolicy } from '../deliveries/gates/gates.ts';
import type { Settings } from '../settings.ts';

/**
 * Splits a limit of the process between the pools: a quarter is for retries alone, three quarters for first attempts
 * alone. Each pool gets at least one.
 */
export function splitByPool(total: number): Readonly<Record<Pool, number>> {
  const retry = Math.max(1, Math.floor(total / 4));
  return { first: Math.max(1, total - retry), retry };
}

/**
 * Returns the capacity that all gates share. Waiting rooms get two thirds of the records that may be held. Endpoints
 * that do not answer fill these, and a third stays free for the others.
 */
export function gateCapacity({ delivery, intake }: Pick<Settings, 'delivery' | 'intake'>): GatesPolicy['capacity'] {
  const inFlight = splitByPool(delivery.maxInFlight);
  const records = splitByPool(intake.maxRecords);
  const capacityOf = (pool: Pool): GatesPolicy['capacity'][Pool] => ({
    inFlight: inFlight[pool],
    waiting: Math.ceil((records[pool] * 2) / 3),
  });
  return { first: capacityOf('first'), retry: capacityOf('retry') };
}
