const magic = 0x184d_2204;
const flagsAt = 4;
/** Magic, flags, block descriptor and the checksum of the header. */
const shortestHeader = 7;
const hasContentSize = 0x08;
const hasDictionaryId = 0x01;
const hasBlockChecksums = 0x10;
/** Set in the size of a block that could not be compressed. */
const isStored = 0x8000_0000;

/**
 * The bytes that an LZ4 frame holds at most: each of its blocks is as large as its header allows, but for those that are
 * stored as they are. 0 for what is no frame, which decompressing then finds out.
 */
export function longestLz4Content(frame: Buffer): number {
  if (frame.length < shortestHeader || frame.readUInt32LE(0) !== magic) return 0;
  const flags = frame.readUInt8(flagsAt);
  const blockBytes = blockBytesOf(frame.readUInt8(flagsAt + 1));
  const checksumBytes = (flags & hasBlockChecksums) === 0 ? 0 : 4;
  let at = shortestHeader + ((flags & hasContentSize) === 0 ? 0 : 8) + ((flags & hasDictionaryId) === 0 ? 0 : 4);
  let longest = 0;
  while (at + 4 <= frame.length) {
    const size = frame.readUInt32LE(at);
    if (size === 0) break;
    const storedBytes = size % isStored;
    longest += size >= isStored ? storedBytes : blockBytes;
    at += 4 + storedBytes + checksumBytes;
  }
  return longest;
}

/** The codes 4 to 7 stand for 64 KiB, 256 KiB, 1 MiB and 4 MiB. */
function blockBytesOf(descriptor: number): number {
  const code = (descriptor >> 4) & 0x07;
  return 1 << (8 + 2 * code);
}
