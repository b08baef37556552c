import { describe, expect, it } from 'vitest';
import { createDecoder, type Decoder } from '../../../src/certificates/decoder.ts';
import { Schemas } from '../../../src/certificates/registry/schemas.ts';
import { framed } from '../../support/registry/framed.ts';
import { aBatch, startAdmission } from '../support/scripted-admission.ts';

const minuteMs = 60_000;

/** Admits a batch whose records have these schema ids, none of which the registry knows. */
function startWith(schemaIds: readonly number[]) {
  const requested: number[] = [];
  const decoder: { whenReadable?: Decoder['whenReadable'] } = {};
  const setup = startAdmission({ whenReadable: (record, buffered) => decoder.whenReadable?.(record, buffered) });
  const schemas = new Schemas({
    find: (id) => {
      requested.push(id);
      return Promise.resolve({ kind: 'unknown' });
    },
    events: { schemaRegistryFailed: () => undefined, schemaUnknown: () => undefined },
    clock: setup.clock,
  });
  decoder.whenReadable = createDecoder({
    eventTypeByTopic: new Map(),
    framed: schemas,
  }).whenReadable;
  const batch = aBatch(0, schemaIds.length);
  const messages = batch.messages.map((message, index) => ({
    ...message,
    value: framed(schemaIds[index] ?? 0, Buffer.of(14)),
  }));
  setup.admission.admitBatch({ ...batch, messages });
  return { ...setup, requested };
}

describe('records with unknown schemas in one partition', () => {
  it('wait together, not one after the other', async () => {
    const ids = [7, 8, 9, 8, 10, 11, 12, 7];
    const { clock, offsets, requested } = startWith(ids);
    await clock.advance(0);
    expect(requested).toEqual([7, 8, 9, 10, 11, 12]);
    await clock.advance(5 * minuteMs - 1);
    expect(offsets()).toEqual([]);
    await clock.advance(15_001);
    expect(offsets()).toEqual(ids.map((_, offset) => offset));
  });

  it('lead to a bounded number of requests at once', async () => {
    const ids = Array.from({ length: 45 }, (_, index) => index + 1);
    const { clock, offsets, requested } = startWith(ids);
    await clock.advance(0);
    expect(requested).toEqual(ids.slice(0, 32));
    await clock.advance(2 * (5 * minuteMs + 15_000));
    expect(offsets()).toHaveLength(45);
  });
});
