import { describe, expect, it } from 'vitest';
import { BufferedDestination } from '../../../src/telemetry/logger/buffered-destination.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

function gathering() {
  const passed: string[] = [];
  const clock = new ManualClock();
  const gathered = new BufferedDestination({ output: (lines) => void passed.push(lines), clock });
  return { gathered, passed, clock };
}

describe('lines', () => {
  it('of a moment go out together, at its end', async () => {
    const { gathered, passed, clock } = gathering();
    gathered.write('one\n');
    await clock.advance(49);
    gathered.write('two\n');
    expect(passed).toEqual([]);
    await clock.advance(1);
    expect(passed).toEqual(['one\ntwo\n']);
    gathered.write('three\n');
    await clock.advance(50);
    expect(passed).toEqual(['one\ntwo\n', 'three\n']);
  });

  it('go out before that when there are very many, a mebibyte at a time, and not while they are written', async () => {
    const { gathered, passed, clock } = gathering();
    const line = `${'x'.repeat(1023)}\n`;
    for (let count = 0; count < 2050; count += 1) gathered.write(line);
    expect(passed).toEqual([]);
    await clock.advance(0);
    expect(passed.map(({ length }) => length / 1024)).toEqual([1024, 1024, 2]);
    gathered.write('more\n');
    await clock.advance(49);
    expect(passed.slice(3)).toEqual([]);
    await clock.advance(1);
    expect(passed.slice(3)).toEqual(['more\n']);
  });

  it('go out when told, and not once more', async () => {
    const { gathered, passed, clock } = gathering();
    gathered.write('last\n');
    gathered.flush();
    await clock.advance(1000);
    expect(passed).toEqual(['last\n']);
  });
});
