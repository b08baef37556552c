import type { SchemaDocument } from '../../src/certificates/framing.ts';
import type { RegistryAnswer, RegistryFailure } from '../../src/certificates/registry/answer.ts';
import { Schemas } from '../../src/certificates/registry/schemas.ts';
import { VersionReader } from '../../src/webhooks/version-reader.ts';
import { json } from '../support/builders.ts';
import { framed } from '../support/registry/framed.ts';
import { aSchema } from '../support/registry/schemas.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { createDirectory, heldBy, plain } from './opening.ts';

export type Answer = RegistryAnswer<SchemaDocument>;

export const found: Answer = { kind: 'found', found: aSchema('JSON', '{}') };
export const unknown: Answer = { kind: 'unknown' };
export const away = aFailure('unreachable');

export function aFailure(failure: RegistryFailure): Answer {
  return { kind: 'failed', failure, reason: 'a test says so' };
}

/** Builds a configuration of the owner `owner`, framed with a schema. */
export function aFramed(id: string, schemaId: number, version = 1): Buffer {
  return framed(schemaId, json(plain(id, version)));
}

/** Creates a reader in front of a directory, with a registry that answers as the test says. */
export function createDecoding(answer: (schemaId: number) => Answer | Promise<Answer>) {
  const clock = new ManualClock();
  const requested: number[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const schemas = new Schemas({
    find: async (schemaId) => {
      requested.push(schemaId);
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      const answered = await answer(schemaId);
      inFlight -= 1;
      return answered;
    },
    events: { schemaRegistryFailed: () => undefined, schemaUnknown: () => undefined },
    clock,
  });
  const { directory, refusals } = createDirectory();
  const decoding = new VersionReader({ directory, framed: schemas, clock });
  return {
    clock,
    decoding,
    directory,
    requested,
    refusals,
    mostInFlight: () => mostInFlight,
    /** Applies values as a topic does: all of them are prepared first. */
    apply: async (...values: readonly (readonly [id: string, value: Buffer])[]) => {
      await decoding.prepare(values.map(([, value]) => value));
      for (const [id, value] of values) decoding.upsert(id, value);
    },
    held: (...ids: readonly string[]) => heldBy(directory, ids),
    [Symbol.asyncDispose]: async () => {
      schemas[Symbol.dispose]();
      await decoding[Symbol.asyncDispose]();
    },
  };
}
