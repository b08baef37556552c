import { withoutRegistry, type FramedValues } from '../certificates/framing.ts';
import type { RegistryCredentials } from '../certificates/registry/registry-client.ts';
import type { SchemaRegistryEvents } from '../certificates/registry/schemas.ts';
import type { MonotonicClock } from '../lib/clock.ts';
import { freshSecret, type SchemaRegistrySettings, type Settings } from '../settings.ts';

interface FramedValuesOptions {
  readonly settings: Pick<Settings, 'schemaRegistry'>;
  readonly events: SchemaRegistryEvents;
  readonly clock: MonotonicClock;
}

export type OpenFramedValues = FramedValues & Disposable;

/**
 * Creates the reader of values in Confluent framing. The registry gets no request before the first such value. Without a
 * registry, the code for it is not loaded.
 */
export async function openFramedValues({ settings, events, clock }: FramedValuesOptions): Promise<OpenFramedValues> {
  const { urls, certificateAuthorities } = settings.schemaRegistry;
  if (urls === undefined) return { ...withoutRegistry, [Symbol.dispose]: () => undefined };
  const { createRegistryClient } = await import('../certificates/registry/registry-client.ts');
  const { Schemas } = await import('../certificates/registry/schemas.ts');
  const find = createRegistryClient({
    urls,
    credentials: credentialsOf(settings.schemaRegistry),
    certificateAuthorities: certificateAuthorities === undefined ? [] : [certificateAuthorities.value],
  });
  return new Schemas({ find, events, clock });
}

function credentialsOf(registry: SchemaRegistrySettings): () => Promise<RegistryCredentials | undefined> {
  const { username } = registry;
  if (username === undefined || registry.password === undefined) return () => Promise.resolve(undefined);
  const password = freshSecret(registry.password);
  return async () => ({ username, password: await password() });
}
