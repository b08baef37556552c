/** The topic of certificates has so many. */
export const partitions = 12;

/** All certificates of an endpoint come in one. */
export function partitionOf(endpoint: number): number {
  return endpoint % partitions;
}

/** Whether its certificates stand among those of the first endpoint, which gets a burst, or half of all. */
export function isWithFirst(endpoint: number): boolean {
  return partitionOf(endpoint) === partitionOf(0);
}
