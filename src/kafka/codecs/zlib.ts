import { promisify } from 'node:util';
import { gunzip, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import { InflatedTooLargeError, maxInflatedBytes, type Codec } from './compression-codec.ts';

type Inflate = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

/** Gzip. Works on the threads of libuv. */
export const gzipCodec: Codec = {
  compress: async ({ buffer }) => promisify(gzip)(buffer),
  decompress: withinLimit(promisify(gunzip)),
};

/** Zstandard. Works on the threads of libuv. */
export const zstdCodec: Codec = {
  compress: async ({ buffer }) => promisify(zstdCompress)(buffer),
  decompress: withinLimit(promisify(zstdDecompress)),
};

function withinLimit(inflate: Inflate): Codec['decompress'] {
  return async (bytes) => {
    try {
      return await inflate(bytes, { maxOutputLength: maxInflatedBytes });
    } catch (error) {
      const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      throw isTooLarge ? new InflatedTooLargeError() : error;
    }
  };
}
