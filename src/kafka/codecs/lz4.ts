import { InflatedTooLargeError, maxInflatedBytes, type Codec } from './compression-codec.ts';
import { maxLz4ContentBytes } from './lz4-frame.ts';

/** LZ4's frame format. Works on the threads of libuv. The library is loaded with the first batch. */
export const lz4Codec: Codec = {
  compress: async ({ buffer }) => (await import('lz4-napi')).compressFrame(buffer),
  decompress: async (bytes) => {
    // The library allocates memory for the whole content and knows no limit.
    if (maxLz4ContentBytes(bytes) > maxInflatedBytes) throw new InflatedTooLargeError();
    const { decompressFrame } = await import('lz4-napi');
    return decompressFrame(bytes);
  },
};
