/** Parent to receiver; each is answered. */
export type Order =
  /** From now on these endpoints, by number, take connections and say nothing; the others are well. */
  | { readonly kind: 'behave'; readonly silent: readonly number[]; readonly mute: readonly number[] }
  /** Tells what has come since the last time, and forgets it. */
  | { readonly kind: 'collect' };

/** Receiver to parent. */
export type News =
  | { readonly kind: 'listening'; readonly port: number; readonly authority: string }
  | { readonly kind: 'behaves' }
  | { readonly kind: 'collected'; readonly arrivals: readonly Arrival[] };

/** A request that was answered with a 2xx. Times are in milliseconds of the machine's own clock. */
export interface Arrival {
  readonly endpoint: number;
  readonly writtenAt: number;
  readonly receivedAt: number;
}

/** What the process is started with, as JSON. */
export interface Setup {
  readonly endpoints: number;
  /** From the last byte of a request to the answer. */
  readonly answerAfterMs: number;
}

/** Each endpoint has an address of its own, so that each has an origin of its own. */
export function addressOf(endpoint: number): string {
  return `127.1.${endpoint >> 8}.${endpoint & 255}`;
}

export function endpointAt(address: string): number {
  const [, , high = 0, low = 0] = address.split('.').map(Number);
  return high * 256 + low;
}

/** The same in all processes of a machine, and finer than a millisecond. */
export function machineTimeMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/** A certificate's id tells when its record was written. */
export function idOf(number: number, writtenAt: number): string {
  return `${number}-${writtenAt.toFixed(3)}`;
}

export function writtenAtOf(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1));
}
