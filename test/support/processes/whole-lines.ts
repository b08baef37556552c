import type { Readable } from 'node:stream';

/**
 * Calls `take` with each line of the stream, decoded as UTF-8 and without its line feed. An incomplete last line is left
 * out, because a killed process may have written half a line.
 */
export function onWholeLine(stream: Readable, take: (line: string) => void): void {
  let incomplete = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${incomplete}${text}`.split('\n');
    incomplete = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}
