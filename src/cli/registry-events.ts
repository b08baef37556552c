import type { SchemaRegistryEvents } from '../certificates/registry/schemas.ts';

/** Prints failed schema registry lookups as warnings. */
export function registryEvents(err: (line: string) => void): SchemaRegistryEvents {
  return {
    schemaRegistryFailed: ({ schemaId, reason }) => err(`warning: schema ${schemaId} can't be had: ${reason}`),
    schemaUnknown: ({ schemaId }) => err(`warning: the schema registry does not know schema ${schemaId}`),
  };
}
