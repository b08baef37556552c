import { withoutRegistry, type FramedValues } from '../certificates/framing.ts';
import { createRegistryClient, type RegistryCredentials } from '../certificates/registry/client.ts';
import { createFramedValues } from '../certificates/registry/framed-values.ts';
import { Schemas, type SchemaRegistryEvents } from '../certificates/registry/schemas.ts';
import type { Clock } from '../lib/clock.ts';
import { readSecretFile, SecretFileError, type SchemaRegistrySettings, type Settings } from '../settings.ts';

export interface FramedValuesParts {
  readonly settings: Pick<Settings, 'schemaRegistry'>;
  readonly events: SchemaRegistryEvents;
  readonly clock: Clock;
}

/** Values in Confluent framing, by the registry that the settings name. No registry is asked before the first value. */
export function openFramedValues({ settings, events, clock }: FramedValuesParts): FramedValues & Disposable {
  const { schemaRegistry } = settings;
  if (schemaRegistry === undefined) return { ...withoutRegistry, [Symbol.dispose]: () => undefined };
  const { urls, certificateAuthorities } = schemaRegistry;
  const find = createRegistryClient({
    urls,
    credentials: credentialsOf(schemaRegistry),
    certificateAuthorities: certificateAuthorities === undefined ? [] : [certificateAuthorities],
  });
  const schemas = new Schemas({ find, events, clock });
  return { ...createFramedValues(schemas), [Symbol.dispose]: () => schemas[Symbol.dispose]() };
}

/** Of a password in a file, what the file holds now, or what it held last. */
function credentialsOf({ credentials }: SchemaRegistrySettings): () => Promise<RegistryCredentials | undefined> {
  if (credentials === undefined) return () => Promise.resolve(undefined);
  const { username, password: given } = credentials;
  const { file } = given;
  let password = given.value;
  return async () => {
    if (file === undefined) return { username, password };
    try {
      password = await readSecretFile('SCHEMA_REGISTRY_PASSWORD', file);
    } catch (error) {
      // Should the one from before no longer do, the registry refuses us, and that is told.
      if (!(error instanceof SecretFileError)) throw error;
    }
    return { username, password };
  };
}
