import type { Readable } from 'node:stream';

/**
 * Hands on each line of the stream, as UTF-8 and without its line feed. What has none at the end is left out: a process
 * that is killed may have written half a line.
 */
export function onWholeLine(stream: Readable, take: (line: string) => void): void {
  let begun = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${begun}${text}`.split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}
