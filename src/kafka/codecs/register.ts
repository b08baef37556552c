import kafkajs from 'kafkajs';
import type { Codec } from './compression-codec.ts';
import { lz4Codec } from './lz4.ts';
import { snappyCodec } from './snappy.ts';
import { gzipCodec, zstdCodec } from './zlib.ts';

/**
 * Teaches kafkajs all of Kafka's compressions, for every client of this process. Its own gzip knows no limit; a batch of
 * one that it does not know ends the consumer for good.
 */
export function registerCodecs(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  Object.assign(CompressionCodecs, {
    [CompressionTypes.GZIP]: () => gzipCodec,
    [CompressionTypes.Snappy]: () => snappyCodec,
    [CompressionTypes.LZ4]: () => lz4Codec,
    [CompressionTypes.ZSTD]: () => zstdCodec,
  } satisfies Readonly<Record<number, () => Codec>>);
}
