import { withoutRegistry, type FramedValues } from '../certificates/framing.ts';
import type { RegistryCredentials } from '../certificates/registry/registry-client.ts';
import type { SchemaRegistryEvents } from '../certificates/registry/schemas.ts';
import type { MonotonicClock } from '../lib/clock.ts';
import type { SchemaRegistrySettings, Settings } from '../settings.ts';
import { freshSecret } from './fresh-secret.ts';

interface FramedValuesOptions {
  readonly settings: Pick<Settings, 'schemaRegistry'>;
  readonly events: SchemaRegistryEvents;
  readonly clock: MonotonicClock;
}

/** The reader of values in Confluent framing. */
export type OpenFramedValues = FramedValues & Disposable;

/**
 * Creates the reader of values in Confluent framing. The registry gets no request before the first such value. Without a
 * registry, the code for it is not loaded.
 */
export async function openFramedValues({ settings, events, clock }: FramedValuesOptions): Promise<OpenFramedValues> {
  const { schemaRegistry } = settings;
  if (schemaRegistry === undefined) return { ...withoutRegistry, [Symbol.dispose]: () => undefined };
  const { createFramedValues } = await import('../certificates/registry/framed-values.ts');
  const { createRegistryClient } = await import('../certificates/registry/registry-client.ts');
  const { Schemas } = await import('../certificates/registry/schemas.ts');
  const { urls, certificateAuthorities } = schemaRegistry;
  const find = createRegistryClient({
    urls,
    credentials: credentialsOf(schemaRegistry),
    certificateAuthorities: certificateAuthorities === undefined ? [] : [certificateAuthorities],
  });
  const schemas = new Schemas({ find, events, clock });
  return { ...createFramedValues(schemas), [Symbol.dispose]: () => schemas[Symbol.dispose]() };
}

function credentialsOf({ credentials }: SchemaRegistrySettings): () => Promise<RegistryCredentials | undefined> {
  if (credentials === undefined) return () => Promise.resolve(undefined);
  const { username } = credentials;
  const password = freshSecret('SCHEMA_REGISTRY_PASSWORD', credentials.password);
  return async () => ({ username, password: await password() });
}
