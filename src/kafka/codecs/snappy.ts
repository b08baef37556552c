import { InflatedTooLargeError, maxInflatedBytes, type Codec } from './compression-codec.ts';
import { snappyBlocks, snappyContentLength } from './snappy-blocks.ts';

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
