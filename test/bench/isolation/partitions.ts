/** The number of partitions of the certificates' topic. */
export const partitions = 12;

/** Returns the one partition that holds all certificates of an endpoint. */
export function partitionOf(endpoint: number): number {
  return endpoint % partitions;
}

/** Returns true in the partition of the first endpoint, which gets the burst or half of a skewed load. */
export function sharesFirstPartition(endpoint: number): boolean {
  return partitionOf(endpoint) === partitionOf(0);
}
