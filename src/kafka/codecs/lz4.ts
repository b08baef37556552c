import { compressFrame, decompressFrame } from 'lz4-napi';
import { InflatedTooLargeError, maxInflatedBytes, type Codec } from './compression-codec.ts';
import { longestLz4Content } from './lz4-frame.ts';

/** LZ4's frame format, on the threads of libuv. */
export const lz4Codec: Codec = {
  compress: async ({ buffer }) => compressFrame(buffer),
  decompress: async (bytes) => {
    // The library takes as much memory as the content needs, whatever that is.
    if (longestLz4Content(bytes) > maxInflatedBytes) throw new InflatedTooLargeError();
    return decompressFrame(bytes);
  },
};
