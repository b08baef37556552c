import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { onWholeLine } from './whole-lines.ts';

describe('onWholeLine', () => {
  it.each([
    ['a line in one piece', ['{"a":1}\n'], ['{"a":1}']],
    ['a line in two pieces', ['{"a"', ':1}\n'], ['{"a":1}']],
    ['several lines at once', ['one\n\ntwo\n'], ['one', '', 'two']],
    ['no incomplete line of a killed process', ['{"a":1}\n{"b":"unter'], ['{"a":1}']],
  ])('passes on %s', async (_name, pieces, wanted) => {
    expect(await linesOf(pieces.map((piece) => Buffer.from(piece)))).toEqual(wanted);
  });

  it('decodes a character whose bytes arrive in two pieces', async () => {
    const bytes = Buffer.from('é\n');
    expect(await linesOf([bytes.subarray(0, 1), bytes.subarray(1)])).toEqual(['é']);
  });
});

async function linesOf(pieces: readonly Buffer[]): Promise<readonly string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  onWholeLine(stream, (line) => lines.push(line));
  for (const piece of pieces) stream.write(piece);
  stream.end();
  await finished(stream);
  return lines;
}
