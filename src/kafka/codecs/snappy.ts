import { InflatedTooLargeError, maxInflatedBytes, type Codec } from './compression-codec.ts';

/**
 * Snappy. Works on the threads of libuv. The library is loaded with the first batch. Writes no frame, as librdkafka does;
 * every client can read that.
 */
export const snappyCodec: Codec = {
  compress: async ({ buffer }) => (await import('snappy')).compress(buffer),
  decompress: async (bytes) => {
    const blocks = snappyBlocks(bytes);
    const length = blocks.reduce((sum, block) => sum + snappyContentLength(block), 0);
    // The library allocates the declared length before it checks the data.
    if (length > maxInflatedBytes) throw new InflatedTooLargeError();
    const { uncompress } = await import('snappy');
    const contents: Buffer[] = [];
    for (const block of blocks) contents.push(Buffer.from(await uncompress(block, { asBuffer: true })));
    const [only] = contents;
    return contents.length === 1 && only !== undefined ? only : Buffer.concat(contents);
  },
};

/** First bytes of the frame that Java's library writes. Each block in the frame follows its length. */
const frameMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
/** Bytes of the magic number and two versions. */
const frameHeaderBytes = 16;

class DamagedSnappyError extends Error {
  override readonly name = 'DamagedSnappyError';
}

/** Returns the blocks of Java's frame. Bytes without a frame are one block. */
function snappyBlocks(bytes: Buffer): readonly Buffer[] {
  if (!bytes.subarray(0, frameMagic.length).equals(frameMagic)) return [bytes];
  const blocks: Buffer[] = [];
  let at = frameHeaderBytes;
  while (at < bytes.length) {
    const start = at + 4;
    if (start > bytes.length) throw new DamagedSnappyError('a frame of Snappy ends in the length of a block');
    at = start + bytes.readUInt32BE(start - 4);
    if (at > bytes.length) throw new DamagedSnappyError('a frame of Snappy ends inside of a block');
    blocks.push(bytes.subarray(start, at));
  }
  return blocks;
}

/** Returns the content length that a block declares in its first bytes: a varint, seven bits per byte, lowest first. */
function snappyContentLength(block: Buffer): number {
  let length = 0;
  for (const [index, byte] of block.subarray(0, 5).entries()) {
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return length;
  }
  throw new DamagedSnappyError('a block of Snappy does not begin with its length');
}
