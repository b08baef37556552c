import { inflateRawSync } from 'node:zlib';

/** Reads one file of a ZIP archive, stored or deflated (PKWARE's APPNOTE, sections 4.3.7, 4.3.12 and 4.3.16). */
export function readZipEntry(archive: Buffer, name: string): Buffer {
  const entry = entriesOf(archive).find((one) => one.name === name);
  if (entry === undefined) throw new Error(`The archive holds no ${name}.`);
  const nameBytes = archive.readUInt16LE(entry.offset + 26);
  const extraBytes = archive.readUInt16LE(entry.offset + 28);
  const start = entry.offset + 30 + nameBytes + extraBytes;
  const data = archive.subarray(start, start + entry.compressedBytes);
  return entry.isDeflated ? inflateRawSync(data) : data;
}

interface Entry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly compressedBytes: number;
  /** The offset of the header before its data. */
  readonly offset: number;
}

const directoryEnd = Buffer.from('PK\x05\x06', 'latin1');

function entriesOf(archive: Buffer): readonly Entry[] {
  const end = archive.lastIndexOf(directoryEnd);
  if (end === -1) throw new Error('This is no ZIP archive.');
  const entries: Entry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameBytes = archive.readUInt16LE(at + 28);
    entries.push({
      name: archive.toString('utf8', at + 46, at + 46 + nameBytes),
      isDeflated: archive.readUInt16LE(at + 10) === 8,
      compressedBytes: archive.readUInt32LE(at + 20),
      offset: archive.readUInt32LE(at + 42),
    });
    at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}
