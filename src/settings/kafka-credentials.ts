import type { Secret } from '../lib/secret.ts';
import { isKeyOf } from './kinds/file-kinds.ts';
import { readTextFile, type ReadFile } from './files.ts';
import { readFileAs, readSecretFile, SecretFileError } from './secret-file.ts';
import type { KafkaSettings, TlsSettings } from './sections.ts';
import { kafkaVariables } from './variables/kafka-variables.ts';

/** The credentials for the connection to the brokers. Each is undefined if it is not configured. */
export interface KafkaCredentials extends Pick<TlsSettings, 'certificateAuthorities' | 'clientCertificate'> {
  /** The password, or the client secret of `oauthbearer`. */
  readonly loginSecret: Secret | undefined;
}

/** Returns the credentials that were read at start. */
export function initialKafkaCredentials({ tls, sasl }: KafkaSettings): KafkaCredentials {
  return {
    certificateAuthorities: tls?.certificateAuthorities,
    clientCertificate: tls?.clientCertificate,
    loginSecret: sasl?.secret.value,
  };
}

/** Returns true if any credential comes from a file, and so may change. */
export function hasCredentialFiles({ tls, sasl }: KafkaSettings): boolean {
  return sasl?.secret.file !== undefined || Object.values(tls?.files ?? {}).some((path) => path !== undefined);
}

/** Reads the credentials from their files again, by the same rules as at start. Throws a `SecretFileError`. */
export async function readKafkaCredentials(
  settings: KafkaSettings,
  readFile: ReadFile = readTextFile,
): Promise<KafkaCredentials> {
  const initial = initialKafkaCredentials(settings);
  const { certificateAuthorities: authorities, chain, key } = settings.tls?.files ?? {};
  const { sasl } = settings;
  return {
    certificateAuthorities:
      authorities === undefined
        ? initial.certificateAuthorities
        : await readFileAs(kafkaVariables.KAFKA_TLS_CA_FILE.kind, {
            variable: 'KAFKA_TLS_CA_FILE',
            path: authorities,
            readFile,
          }),
    clientCertificate: chain === undefined || key === undefined ? undefined : await readPair({ chain, key, readFile }),
    loginSecret:
      sasl?.secret.file === undefined
        ? initial.loginSecret
        : await readSecretFile(secretNames[sasl.mechanism], sasl.secret.file, readFile),
  };
}

const secretNames = {
  plain: 'KAFKA_SASL_PASSWORD',
  'scram-sha-256': 'KAFKA_SASL_PASSWORD',
  'scram-sha-512': 'KAFKA_SASL_PASSWORD',
  oauthbearer: 'KAFKA_OAUTH_CLIENT_SECRET',
} as const;

/**
 * Reads certificate and key together. Their files are replaced one after the other, and until both are replaced they do
 * not match.
 */
async function readPair(from: {
  readonly chain: string;
  readonly key: string;
  readonly readFile: ReadFile;
}): Promise<NonNullable<KafkaCredentials['clientCertificate']>> {
  const { readFile } = from;
  const { KAFKA_TLS_CERT_FILE, KAFKA_TLS_KEY_FILE } = kafkaVariables;
  const chain = await readFileAs(KAFKA_TLS_CERT_FILE.kind, {
    variable: 'KAFKA_TLS_CERT_FILE',
    path: from.chain,
    readFile,
  });
  const key = await readFileAs(KAFKA_TLS_KEY_FILE.kind, { variable: 'KAFKA_TLS_KEY_FILE', path: from.key, readFile });
  if (isKeyOf(chain, key)) return { chain, key };
  throw new SecretFileError('KAFKA_TLS_KEY_FILE is not the key of KAFKA_TLS_CERT_FILE');
}
