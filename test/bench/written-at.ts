/** The same in all processes of a machine, and finer than a millisecond. */
export function machineTimeMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/** A certificate's id tells when its record was written, or was to be. */
export function idOf(number: number, writtenAt: number): string {
  return `${number}-${writtenAt.toFixed(3)}`;
}

export function writtenAtOf(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1));
}
