import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readZipEntry } from './zip.ts';

interface File {
  readonly name: string;
  readonly content: Buffer;
  readonly isDeflated: boolean;
}

/** Writes an archive. Fields that `readZipEntry` does not read are zero. */
function zip(files: readonly File[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  for (const { name, content, isDeflated } of files) {
    const data = isDeflated ? deflateRawSync(content) : content;
    const offset = parts.reduce((bytes, part) => bytes + part.length, 0);
    const extra = Buffer.alloc(7);
    const local = header('PK\x03\x04', 30, { 26: name.length, 28: extra.length });
    const central = header('PK\x01\x02', 46, { 10: isDeflated ? 8 : 0, 28: name.length, 30: extra.length });
    central.writeUInt32LE(data.length, 20);
    central.writeUInt32LE(offset, 42);
    parts.push(local, Buffer.from(name), extra, data);
    directory.push(central, Buffer.from(name), extra);
  }
  const body = Buffer.concat(parts);
  const end = header('PK\x05\x06', 22, { 10: files.length });
  end.writeUInt32LE(body.length, 16);
  return Buffer.concat([body, ...directory, end]);
}

function header(signature: string, bytes: number, shorts: Readonly<Record<number, number>>): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.write(signature, 'latin1');
  for (const [at, value] of Object.entries(shorts)) buffer.writeUInt16LE(value, Number(at));
  return buffer;
}

const archive = zip([
  { name: 'helm/', content: Buffer.alloc(0), isDeflated: false },
  { name: 'helm/helm', content: Buffer.from('a program '.repeat(100)), isDeflated: true },
  { name: 'kubectl/kubectl', content: Buffer.from('another'), isDeflated: false },
]);

it('reads a file, stored or deflated', () => {
  expect(readZipEntry(archive, 'helm/helm').toString()).toBe('a program '.repeat(100));
  expect(readZipEntry(archive, 'kubectl/kubectl').toString()).toBe('another');
});

it('names a missing file', () => {
  expect(() => readZipEntry(archive, 'helm/kubectl')).toThrow('holds no helm/kubectl');
  expect(() => readZipEntry(Buffer.from('PK'), 'helm/helm')).toThrow('no ZIP archive');
});
