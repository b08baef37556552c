import { describe, expect, it } from 'vitest';
import { BufferedDestination } from '../../../src/telemetry/logger/logger.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

function bufferedDestination() {
  const written: string[] = [];
  const clock = new ManualClock();
  const destination = new BufferedDestination({ output: (lines) => void written.push(lines), clock });
  return { destination, written, clock };
}

describe('lines', () => {
  it('are written together after 50 ms', async () => {
    const { destination, written, clock } = bufferedDestination();
    destination.write('one\n');
    await clock.advance(49);
    destination.write('two\n');
    expect(written).toEqual([]);
    await clock.advance(1);
    expect(written).toEqual(['one\ntwo\n']);
    destination.write('three\n');
    await clock.advance(50);
    expect(written).toEqual(['one\ntwo\n', 'three\n']);
  });

  it('are written at the end of the turn if there are very many, in texts of a mebibyte', async () => {
    const { destination, written, clock } = bufferedDestination();
    const line = `${'x'.repeat(1023)}\n`;
    for (let count = 0; count < 2050; count += 1) destination.write(line);
    expect(written).toEqual([]);
    await clock.advance(0);
    expect(written.map(({ length }) => length / 1024)).toEqual([1024, 1024, 2]);
    destination.write('more\n');
    await clock.advance(49);
    expect(written.slice(3)).toEqual([]);
    await clock.advance(1);
    expect(written.slice(3)).toEqual(['more\n']);
  });

  it('keep control and bidirectional characters from a terminal', () => {
    const { destination, written } = bufferedDestination();
    destination.write(`${JSON.stringify({ id: '\u009B2J\u202E' })}\n`);
    destination.flush();
    expect(written).toEqual([String.raw`{"id":"\u009b2J\u202e"}` + '\n']);
  });

  it('are written by a flush, and only once', async () => {
    const { destination, written, clock } = bufferedDestination();
    destination.write('last\n');
    destination.flush();
    await clock.advance(1000);
    expect(written).toEqual(['last\n']);
  });
});
