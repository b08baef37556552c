import { InflatedTooLargeError, maxInflatedBytes, type Codec } from './compression-codec.ts';

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

const magic = 0x184d_2204;
const flagsAt = 4;
/** Bytes of the magic number, the flags, the block descriptor and the header's checksum. */
const shortestHeader = 7;
const hasContentSize = 0x08;
const hasDictionaryId = 0x01;
const hasBlockChecksums = 0x10;
/** The highest bit of a block's size. It marks a block that is stored uncompressed. */
const isStored = 0x8000_0000;

/**
 * Returns an upper bound of an LZ4 frame's content in bytes. Compressed blocks count with the block size of the frame's
 * header, stored blocks with their own size. Returns 0 for bytes that are no frame; decompressing them fails later.
 */
function maxLz4ContentBytes(frame: Buffer): number {
  if (frame.length < shortestHeader || frame.readUInt32LE(0) !== magic) return 0;
  const flags = frame.readUInt8(flagsAt);
  const blockBytes = blockBytesOf(frame.readUInt8(flagsAt + 1));
  const checksumBytes = (flags & hasBlockChecksums) === 0 ? 0 : 4;
  let at = shortestHeader + ((flags & hasContentSize) === 0 ? 0 : 8) + ((flags & hasDictionaryId) === 0 ? 0 : 4);
  let maxBytes = 0;
  while (at + 4 <= frame.length) {
    const size = frame.readUInt32LE(at);
    if (size === 0) break;
    const storedBytes = size % isStored;
    maxBytes += size >= isStored ? storedBytes : blockBytes;
    at += 4 + storedBytes + checksumBytes;
  }
  return maxBytes;
}

/** Returns the largest size of a block in bytes. The codes 4 to 7 stand for 64 KiB, 256 KiB, 1 MiB and 4 MiB. */
function blockBytesOf(descriptor: number): number {
  const code = (descriptor >> 4) & 0x07;
  return 1 << (8 + 2 * code);
}
