/** Returns the key of a partition in a map, which is also its name in messages: `topic/partition`. */
export function partitionKey(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
