/** A compression of record batches, in the form that kafkajs expects. `compress` gets an encoder of kafkajs. */
export interface Codec {
  compress(records: { readonly buffer: Buffer }): Promise<Buffer>;
  /** Rejects damaged bytes. Rejects with `InflatedTooLargeError` if the content exceeds `maxInflatedBytes`. */
  decompress(bytes: Buffer): Promise<Buffer>;
}

/**
 * Largest content of one decompressed batch in bytes: 64 times Kafka's default limit of a batch. Without it, a few
 * kilobytes that inflate to gigabytes would kill the process, and again after each restart.
 */
export const maxInflatedBytes = 64 * 1024 * 1024;

export class InflatedTooLargeError extends Error {
  override readonly name = 'InflatedTooLargeError';

  constructor() {
    super(`it holds more than ${maxInflatedBytes / 1024 / 1024} MiB once it is decompressed`);
  }
}
