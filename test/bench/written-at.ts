/** Returns the machine's monotonic clock, which all its processes share. Resolution is one microsecond. */
export function machineTimeMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/** Returns a certificate id that holds the time at which its record is written, or is due to be written. */
export function idOf(number: number, writtenAt: number): string {
  return `${number}-${writtenAt.toFixed(3)}`;
}

/** Reads that time from the id. */
export function writtenAtOf(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1));
}
