import type { Secret } from '../lib/secret.ts';
import { readAgain, SecretFileError } from './files.ts';
import { isKeyOf } from './kinds/file-kinds.ts';
import type { KafkaSettings } from './parse-settings.ts';
import type { FileValue } from './variable.ts';

/** The credentials for the connection to the brokers. Each is undefined if it is not configured. */
export interface KafkaCredentials {
  /** PEM. Undefined means the public authorities. */
  readonly certificateAuthorities: string | undefined;
  /** `chain` is PEM: the certificate followed by its chain. */
  readonly clientCertificate: { readonly chain: string; readonly key: Secret } | undefined;
  /** The password, or the client secret of `oauthbearer`. */
  readonly loginSecret: Secret | undefined;
}

export function initialKafkaCredentials({ tls, sasl }: KafkaSettings): KafkaCredentials {
  return {
    certificateAuthorities: tls.certificateAuthorities?.value,
    clientCertificate: tls.chain && tls.key && { chain: tls.chain.value, key: tls.key.value },
    loginSecret: sasl?.secret.value,
  };
}

/** Returns true if any credential comes from a file, and so may change. */
export function hasCredentialFiles({ tls, sasl }: KafkaSettings): boolean {
  return [tls.certificateAuthorities, tls.chain, tls.key, sasl?.secret].some((value) => value?.file !== undefined);
}

/**
 * Reads the credentials from their files again, by the same rules as at start. Throws a `SecretFileError`. Certificate and
 * key are replaced one after the other, and until both are replaced they do not match.
 */
export async function readKafkaCredentials({ tls, sasl }: KafkaSettings): Promise<KafkaCredentials> {
  const certificateAuthorities = await readIfAny(tls.certificateAuthorities);
  const [chain, key] = [await readIfAny(tls.chain), await readIfAny(tls.key)];
  if (chain !== undefined && key !== undefined && !isKeyOf(chain, key))
    throw new SecretFileError('KAFKA_TLS_KEY_FILE is not the key of KAFKA_TLS_CERT_FILE');
  const clientCertificate = chain === undefined || key === undefined ? undefined : { chain, key };
  return { certificateAuthorities, clientCertificate, loginSecret: await readIfAny(sasl?.secret) };
}

async function readIfAny<T>(value: FileValue<T> | undefined): Promise<T | undefined> {
  return value === undefined ? undefined : readAgain(value);
}
