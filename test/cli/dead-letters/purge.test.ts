import { describe, expect, it } from 'vitest';
import { aConfiguration } from '../../support/builders.ts';
import { startMemoryKafka } from '../../support/kafka/memory/start-memory-kafka.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { printedCount, runHere } from '../program.ts';
import { deadDelivery, theDelivery, writeDeadLetters } from './dead-letters.ts';

describe('configurations remove --purge', () => {
  it('takes the dead letters of its webhooks out of lists and replays, and can be run again', async () => {
    await using parts = new AsyncDisposableStack();
    const { brokers } = parts.use(await startMemoryKafka());
    const platform = parts.use(await startPlatform({ brokers, delays: ['10s'] }));
    const { kafka, topics, environment } = platform;
    await platform.configure(...['a', 'b', 'kept'].map((_id) => aConfiguration({ _id })));
    const write = async (...ids: readonly string[]): Promise<void> =>
      writeDeadLetters(
        kafka,
        topics.deadLetters,
        ids.map((webhookId, index) => deadDelivery(theDelivery(topics.completed, index, { webhookId }))),
      );
    const remove = (...args: readonly string[]) => runHere(environment, 'configurations', 'remove', '--purge', ...args);
    const listed = async (): Promise<readonly unknown[]> => {
      const { out } = await runHere(environment, 'dead-letters', 'list', '--json');
      return out.map((line) => (JSON.parse(line) as Readonly<Record<string, unknown>>)['webhook-configuration-id']);
    };
    await write('a', 'kept', 'b', 'a');
    expect(printedCount(await runHere(environment, 'dead-letters', 'replay', '--limit', '1'), 'replayed')).toBe(1);

    const dry = await remove('a', '--dry-run');
    expect(dry).toMatchObject({ code: 0, out: ['to be removed a', 'dead letters to be purged: 2', '  a: 2'] });
    expect(await listed()).toEqual(['a', 'kept', 'b', 'a']);

    const purged = await remove('a', 'b');
    expect(purged.out).toEqual(['removed a', 'removed b', 'dead letters purged: 3', '  a: 2', '  b: 1']);
    expect(await listed()).toEqual(['kept']);
    const marker = (await platform.deadLetters()).at(-1);
    expect(marker).toMatchObject({ value: null, headers: { 'webhook-configuration-id': 'a' } });
    expect(marker?.headers['purged-at']).toBe(marker?.headers['replayed-at']);

    // A request that was out when the configuration was removed.
    await write('a');
    expect(await remove('a', 'b')).toMatchObject({
      code: 0,
      out: ['dead letters purged: 1', '  a: 1'],
      err: [`note: there is no configuration a in ${topics.configurations}`, expect.stringContaining('note: ')],
    });
    const again = await runHere(environment, 'dead-letters', 'replay', '--again', '--limit', '5');
    expect([printedCount(again, 'dead letters meant'), printedCount(again, 'replayed')]).toEqual([1, 1]);
    const { out } = await runHere(environment, 'explain', '--certificate', 'certificate-2');
    expect(out.find((line) => line.startsWith('    webhook b'))).toMatch(/, dead letter 0\/2, purged 2/);
    expect(await runHere(environment, 'configurations', 'remove', 'kept', 'a')).toMatchObject({ code: 2, out: [] });
  });
});
