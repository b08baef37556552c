import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { KafkajsMismatchError, loadInternals } from '../../../src/kafka/kafkajs/load.ts';
import { repairKafkajs } from '../../../src/kafka/kafkajs/repair.ts';

const require = createRequire(import.meta.url);

/** kafkajs as it is, but for one file. */
function requireWith(changed: string, exported: unknown): NodeJS.Require {
  return Object.assign((path: string) => (path === changed ? exported : require(path)), require);
}

describe('the inside of kafkajs', () => {
  it('is refused in any other version', () => {
    const other = requireWith('kafkajs/package.json', { version: '2.2.5' });
    expect(() => loadInternals(other)).toThrow(
      new KafkajsMismatchError('kafkajs 2.2.4 is required, exactly: found 2.2.5'),
    );
  });

  it('is refused when a method is gone that a repair relies on', () => {
    const other = requireWith('kafkajs/src/consumer/runner', { prototype: { stop: () => undefined } });
    expect(() => loadInternals(other)).toThrow(
      new KafkajsMismatchError('kafkajs changed inside: Runner has no handleBatch'),
    );
  });

  it('is repaired once, however often it is asked for', () => {
    repairKafkajs();
    const { fetch, joinAndSync } = loadInternals().consumerGroup;
    repairKafkajs();
    expect(loadInternals().consumerGroup.fetch).toBe(fetch);
    expect(loadInternals().consumerGroup.joinAndSync).toBe(joinAndSync);
  });
});
