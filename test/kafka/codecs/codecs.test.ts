import fc from 'fast-check';
import { compress } from 'snappy';
import { describe, expect, it } from 'vitest';
import { InflatedTooLargeError, maxInflatedBytes } from '../../../src/kafka/codecs/compression-codec.ts';
import { lz4Codec } from '../../../src/kafka/codecs/lz4.ts';
import { snappyCodec } from '../../../src/kafka/codecs/snappy.ts';
import { gzipCodec, zstdCodec } from '../../../src/kafka/codecs/zlib.ts';

const codecs = { gzip: gzipCodec, snappy: snappyCodec, lz4: lz4Codec, zstd: zstdCodec };
/** Matches any message, because each library words its errors differently. */
const anyMessage = /./v;
const named = Object.entries(codecs).map(([name, codec]) => ({ name, codec }));

describe.each(named)('$name', ({ codec }) => {
  it('decompresses what it compressed, byte for byte', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 5000 }),
      fc.uint8Array({ minLength: 1, maxLength: 3 }).map(repeat),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        const buffer = Buffer.from(content);
        expect((await codec.decompress(await codec.compress({ buffer }))).equals(buffer)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('accepts the largest allowed content, and no byte more', async () => {
    const full = await codec.compress({ buffer: Buffer.alloc(maxInflatedBytes) });
    expect((await codec.decompress(full)).length).toBe(maxInflatedBytes);
    const bomb = await codec.compress({ buffer: Buffer.alloc(maxInflatedBytes + 1) });
    await expect(codec.decompress(bomb)).rejects.toThrow(InflatedTooLargeError);
  });

  it('refuses damaged bytes', async () => {
    const whole = await codec.compress({ buffer: repeat(Buffer.from('a certificate')) });
    await expect(codec.decompress(whole.subarray(0, whole.length / 2))).rejects.toThrow(anyMessage);
    await expect(codec.decompress(Buffer.from('nothing of the kind'))).rejects.toThrow(anyMessage);
  });
});

describe('a frame of Snappy as Java writes it', () => {
  const contents = ['one certificate', 'another', 'and a third'].map((text) => Buffer.from(text));

  it('is read block by block', async () => {
    expect(await snappyCodec.decompress(await framed(contents))).toEqual(Buffer.concat(contents));
  });

  it('may hold nothing', async () => {
    expect(await snappyCodec.decompress(await framed([]))).toEqual(Buffer.alloc(0));
  });

  it('is refused when it is truncated', async () => {
    const frame = await framed(contents);
    await expect(snappyCodec.decompress(frame.subarray(0, frame.length - 1))).rejects.toThrow('inside of a block');
    await expect(snappyCodec.decompress(frame.subarray(0, 18))).rejects.toThrow('in the length of a block');
  });

  it('is refused when its blocks together are too large', async () => {
    const quarter = await compress(Buffer.alloc(maxInflatedBytes / 4));
    const frame = asFrame([quarter, quarter, quarter, quarter, await compress(Buffer.from('x'))]);
    await expect(snappyCodec.decompress(frame)).rejects.toThrow(InflatedTooLargeError);
  });

  it('is refused before memory is allocated for the length that a block declares', async () => {
    const fourGigabytes = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0x00]);
    await expect(snappyCodec.decompress(fourGigabytes)).rejects.toThrow(InflatedTooLargeError);
  });
});

function repeat(bytes: Uint8Array): Buffer {
  return Buffer.concat(Array.from({ length: 20_000 }, () => bytes));
}

async function framed(contents: readonly Buffer[]): Promise<Buffer> {
  return asFrame(await Promise.all(contents.map(async (content) => compress(content))));
}

function asFrame(blocks: readonly Buffer[]): Buffer {
  const magic = Buffer.from('82534e41505059000000000100000001', 'hex');
  return Buffer.concat([
    magic,
    ...blocks.flatMap((block) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(block.length);
      return [length, block];
    }),
  ]);
}
