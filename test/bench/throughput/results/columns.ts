import type { Quantity } from '../sample.ts';

interface Column {
  readonly quantity: Quantity;
  readonly title: string;
  readonly unit?: string;
  /** Decimal places. */
  readonly digits: number;
}

/** The quantities in the order of tables. */
export const columns: readonly Column[] = [
  { quantity: 'cpu', title: 'CPU per 10,000', unit: 's', digits: 3 },
  { quantity: 'perSecond', title: 'per second', digits: 0 },
  { quantity: 'connections', title: 'connections per delivery', digits: 3 },
  { quantity: 'p50', title: 'p50', unit: 'ms', digits: 1 },
  { quantity: 'p99', title: 'p99', unit: 'ms', digits: 1 },
  { quantity: 'cores', title: 'cores', digits: 3 },
  { quantity: 'readyAfterS', title: 'ready after', unit: 's', digits: 1 },
  { quantity: 'startupLoopDelayMs', title: 'event loop delay until ready', unit: 'ms', digits: 0 },
  { quantity: 'loopDelayMs', title: 'event loop delay once ready', unit: 'ms', digits: 0 },
  { quantity: 'changeMs', title: 'a change in force after', unit: 'ms', digits: 0 },
  { quantity: 'residentMiB', title: 'resident memory', unit: 'MiB', digits: 0 },
  { quantity: 'peakMemoryMiB', title: 'peak memory', unit: 'MiB', digits: 0 },
  { quantity: 'receiverCores', title: "receiver's cores", digits: 2 },
];
