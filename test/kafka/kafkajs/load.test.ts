import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { KafkajsMismatchError, loadInternals } from '../../../src/kafka/kafkajs/load.ts';
import { repairKafkajs } from '../../../src/kafka/kafkajs/repair.ts';

const require = createRequire(import.meta.url);

/** Loads kafkajs with one file replaced. */
function requireWith(changed: string, exported: unknown): NodeJS.Require {
  return Object.assign((path: string) => (path === changed ? exported : require(path)), require);
}

describe('the internals of kafkajs', () => {
  it('are rejected in any other version', () => {
    const other = requireWith('kafkajs/package.json', { version: '2.2.5' });
    expect(() => loadInternals(other)).toThrow(
      new KafkajsMismatchError('kafkajs 2.2.4 is required, exactly: found 2.2.5'),
    );
  });

  it('are rejected when a method is missing that a repair uses', () => {
    const other = requireWith('kafkajs/src/consumer/runner', { prototype: { stop: () => undefined } });
    expect(() => loadInternals(other)).toThrow(new KafkajsMismatchError('kafkajs changed inside: Runner has no fetch'));
  });

  it('are repaired only once', () => {
    repairKafkajs();
    const { fetch, joinAndSync } = loadInternals().consumerGroup;
    repairKafkajs();
    expect(loadInternals().consumerGroup.fetch).toBe(fetch);
    expect(loadInternals().consumerGroup.joinAndSync).toBe(joinAndSync);
  });
});
