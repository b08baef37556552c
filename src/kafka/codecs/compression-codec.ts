/** How the records of a batch are compressed; kafkajs hands over its encoder to compress. */
export interface Codec {
  compress(records: { readonly buffer: Buffer }): Promise<Buffer>;
  /** Rejects what is damaged, and with `InflatedTooLargeError` what would take more memory than a batch may. */
  decompress(bytes: Buffer): Promise<Buffer>;
}

/**
 * What one batch may hold once it is decompressed: 64 times what Kafka takes for a batch by default. Some kilobytes that
 * inflate to gigabytes would otherwise end the process, and the next one, and the next.
 */
export const maxInflatedBytes = 64 * 1024 * 1024;

export class InflatedTooLargeError extends Error {
  override readonly name = 'InflatedTooLargeError';

  constructor() {
    super(`it holds more than ${maxInflatedBytes / 1024 / 1024} MiB once it is decompressed`);
  }
}
