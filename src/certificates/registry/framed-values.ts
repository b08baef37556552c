import { strict as assert } from 'node:assert';
import { readFrame, type FramedValues } from '../framing.ts';
import type { Schemas } from './schemas.ts';

export function createFramedValues(schemas: Pick<Schemas, 'formatOf' | 'lookUp' | 'isKnown' | 'ask'>): FramedValues {
  return {
    hasSchema: (schemaId) => schemas.isKnown(schemaId),
    ask: (schemaId, retryInMs) => schemas.ask(schemaId, retryInMs),
    whenReadable(value) {
      const frame = readFrame(value);
      if (frame.kind === 'broken' || schemas.formatOf(frame.schemaId) !== undefined) return undefined;
      return schemas.lookUp(frame.schemaId);
    },
    read(value) {
      const frame = readFrame(value);
      if (frame.kind === 'broken') return { kind: 'undecodable', message: `the value ${frame.problem}` };
      const format = schemas.formatOf(frame.schemaId);
      assert(format !== undefined, 'a value is read before its schema is there');
      return format(frame.payload);
    },
  };
}
