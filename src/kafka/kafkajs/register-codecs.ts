import kafkajs from 'kafkajs';
import type { Codec } from '../codecs/compression-codec.ts';
import { lz4Codec } from '../codecs/lz4.ts';
import { snappyCodec } from '../codecs/snappy.ts';
import { gzipCodec, zstdCodec } from '../codecs/zlib.ts';

/**
 * Registers all of Kafka's compressions in kafkajs, for every client of this process. The gzip of kafkajs has no limit of
 * size. A batch in a compression that is not registered stops the consumer permanently.
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
