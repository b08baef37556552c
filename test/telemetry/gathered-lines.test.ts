import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { GatheredLines } from '../../src/telemetry/gathered-lines.ts';

function gathering() {
  const passed: string[] = [];
  const gathered = new GatheredLines((lines) => void passed.push(lines));
  return { gathered, passed };
}

describe('lines', () => {
  it('of one turn of the event loop go out together, at its end', async () => {
    const { gathered, passed } = gathering();
    gathered.write('one\n');
    await Promise.resolve();
    gathered.write('two\n');
    expect(passed).toEqual([]);
    await setImmediate();
    expect(passed).toEqual(['one\ntwo\n']);
    gathered.write('three\n');
    await setImmediate();
    expect(passed).toEqual(['one\ntwo\n', 'three\n']);
  });

  it('go out before that when there are very many', async () => {
    const { gathered, passed } = gathering();
    const line = `${'x'.repeat(1023)}\n`;
    for (let count = 0; count < 1024; count += 1) gathered.write(line);
    expect(passed.map(({ length }) => length)).toEqual([1024 * 1024]);
    gathered.write('more\n');
    await setImmediate();
    expect(passed.slice(1)).toEqual(['more\n']);
  });

  it('go out when told, and not once more', async () => {
    const { gathered, passed } = gathering();
    gathered.write('last\n');
    gathered.flush();
    await setImmediate();
    expect(passed).toEqual(['last\n']);
  });
});
