import type { SchemaRegistryEvents } from '../certificates/registry/schemas.ts';
import { oneLine } from '../lib/one-line.ts';

export function registryEvents(err: (line: string) => void): SchemaRegistryEvents {
  return {
    schemaRegistryFailed: ({ schemaId, reason }) => err(`warning: schema ${schemaId} can't be had: ${oneLine(reason)}`),
    schemaUnknown: ({ schemaId }) => err(`warning: the schema registry does not know schema ${schemaId}`),
  };
}
