import type { Secret } from '../lib/secret.ts';
import { isKeyOf } from './kinds/file-kinds.ts';
import { readTextFile, type ReadFile } from './files.ts';
import { readFileAs, readSecretFile, SecretFileError } from './secret-file.ts';
import type { KafkaSettings, TlsSettings } from './sections.ts';
import { kafkaVariables } from './variables/kafka.ts';

/** What we prove ourselves to the brokers by, and they to us. Of each, undefined when there is none. */
export interface KafkaCredentials extends Pick<TlsSettings, 'certificateAuthorities' | 'clientCertificate'> {
  readonly password: Secret | undefined;
}

/** As it was at start. */
export function givenKafkaCredentials({ tls, sasl }: KafkaSettings): KafkaCredentials {
  return {
    certificateAuthorities: tls?.certificateAuthorities,
    clientCertificate: tls?.clientCertificate,
    password: sasl?.password.value,
  };
}

/** Whether any of it is in a file, and so may change. */
export function isInFiles({ tls, sasl }: KafkaSettings): boolean {
  return sasl?.password.file !== undefined || Object.values(tls?.files ?? {}).some((path) => path !== undefined);
}

/** What the files hold now, by the rules they were read by at start. Throws a `SecretFileError`. */
export async function readKafkaCredentials(
  settings: KafkaSettings,
  readFile: ReadFile = readTextFile,
): Promise<KafkaCredentials> {
  const given = givenKafkaCredentials(settings);
  const { certificateAuthorities: authorities, chain, key } = settings.tls?.files ?? {};
  const password = settings.sasl?.password.file;
  return {
    certificateAuthorities:
      authorities === undefined
        ? given.certificateAuthorities
        : await readFileAs(variables.KAFKA_TLS_CA_FILE.kind, {
            variable: 'KAFKA_TLS_CA_FILE',
            path: authorities,
            readFile,
          }),
    clientCertificate: chain === undefined || key === undefined ? undefined : await readPair({ chain, key, readFile }),
    password: password === undefined ? given.password : await readSecretFile('KAFKA_SASL_PASSWORD', password, readFile),
  };
}

const { variables } = kafkaVariables;

/** One file is replaced before the other: until both are, the pair is no pair. */
async function readPair(from: {
  readonly chain: string;
  readonly key: string;
  readonly readFile: ReadFile;
}): Promise<NonNullable<KafkaCredentials['clientCertificate']>> {
  const { readFile } = from;
  const { KAFKA_TLS_CERT_FILE, KAFKA_TLS_KEY_FILE } = variables;
  const chain = await readFileAs(KAFKA_TLS_CERT_FILE.kind, {
    variable: 'KAFKA_TLS_CERT_FILE',
    path: from.chain,
    readFile,
  });
  const key = await readFileAs(KAFKA_TLS_KEY_FILE.kind, { variable: 'KAFKA_TLS_KEY_FILE', path: from.key, readFile });
  if (isKeyOf(chain, key)) return { chain, key };
  throw new SecretFileError('KAFKA_TLS_KEY_FILE is not the key of KAFKA_TLS_CERT_FILE');
}
