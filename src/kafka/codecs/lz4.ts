import { compressFrame, decompressFrame } from 'lz4-napi';
import { InflatedTooLargeError, maxInflatedBytes, type Codec } from './compression-codec.ts';
import { maxLz4ContentBytes } from './lz4-frame.ts';

/** LZ4's frame format. Works on the threads of libuv. */
export const lz4Codec: Codec = {
  compress: async ({ buffer }) => compressFrame(buffer),
  decompress: async (bytes) => {
    // The library allocates memory for the whole content and knows no limit.
    if (maxLz4ContentBytes(bytes) > maxInflatedBytes) throw new InflatedTooLargeError();
    return decompressFrame(bytes);
  },
};
