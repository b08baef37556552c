import type { Quantity } from '../sample.ts';

interface Column {
  readonly quantity: Quantity;
  readonly title: string;
  readonly digits: number;
}

/** How tables show what is measured. */
export const columns: readonly Column[] = [
  { quantity: 'cpu', title: 'CPU s per 10,000', digits: 3 },
  { quantity: 'perSecond', title: 'a second', digits: 0 },
  { quantity: 'connections', title: 'connections per delivery', digits: 3 },
  { quantity: 'resumed', title: 'resumed when made again', digits: 2 },
  { quantity: 'requests', title: 'requests per delivery', digits: 2 },
  { quantity: 'recoveredAfterS', title: 'recovered after, s', digits: 0 },
  { quantity: 'p50', title: 'p50, ms', digits: 1 },
  { quantity: 'p99', title: 'p99, ms', digits: 1 },
  { quantity: 'busy', title: 'part of a core', digits: 3 },
  { quantity: 'readyAfterS', title: 'ready after, s', digits: 1 },
  { quantity: 'longestTurnMs', title: 'longest turn of the loop until then, ms', digits: 0 },
  { quantity: 'longestTurnOnceReadyMs', title: 'from then on, ms', digits: 0 },
  { quantity: 'updateMs', title: 'slowest change, ms', digits: 0 },
  { quantity: 'residentMiB', title: 'memory, MiB', digits: 0 },
  { quantity: 'peakMemoryMiB', title: 'peak memory, MiB', digits: 0 },
  { quantity: 'receiverBusy', title: 'receiver, part of a core', digits: 2 },
];
