import { certificates, password, privateKey } from '../kinds/file-kinds.ts';
import { broker, identifier } from '../kinds/kafka-kinds.ts';
import { boolean, duration, oneOf } from '../kinds/kind.ts';
import { listOf, unique } from '../kinds/list-kind.ts';
import { headerValue, oauthScope, tokenUrl } from '../kinds/network-kinds.ts';
import type { Variables } from '../variable.ts';

export const kafkaVariables = {
  KAFKA_BROKERS: {
    kind: listOf(broker, unique(String)),
    required: true,
    description: 'The brokers to connect to first. All topics are in one cluster.',
  },
  KAFKA_CLIENT_ID: {
    kind: identifier,
    default: 'certificate-webhooks',
    description: 'The client name that brokers use in their logs and for quotas.',
  },
  KAFKA_GROUP_ID: {
    kind: identifier,
    default: 'certificate-webhooks',
    description:
      'The consumer group that reads the certificate topics. The group that reads the retry topics is `GROUP.retry`. Any other group also begins with `GROUP.`.',
  },
  KAFKA_TLS: {
    kind: boolean,
    default: 'false',
    description: '`true` to use TLS to the brokers. Without TLS, credentials and certificates are sent in clear text.',
  },
  KAFKA_TLS_CA_FILE: {
    kind: certificates,
    file: true,
    description:
      'Certificate authorities to trust for the brokers, instead of the public ones. The file is read again when it changes.',
  },
  KAFKA_TLS_CERT_FILE: {
    kind: certificates,
    file: true,
    description: 'The client certificate for the brokers, with its chain. The file is read again when it changes.',
  },
  KAFKA_TLS_KEY_FILE: {
    kind: privateKey,
    file: true,
    description: 'The private key of `KAFKA_TLS_CERT_FILE`. The file is read again when it changes.',
  },
  KAFKA_SASL_MECHANISM: {
    kind: oneOf(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']),
    description:
      'The login mechanism for the brokers. `oauthbearer` needs the variables `KAFKA_OAUTH_*`, the others a user name and a password.',
  },
  KAFKA_SASL_USERNAME: { kind: headerValue, description: 'The user name for the brokers.' },
  KAFKA_SASL_PASSWORD: { kind: password, secret: true, description: 'The password for the brokers.' },
  KAFKA_OAUTH_TOKEN_URL: {
    kind: tokenUrl,
    description:
      'The token endpoint of the identity provider, for `oauthbearer`. The service gets its tokens there with the grant `client_credentials`, each before the last one expires. `KAFKA_TLS_CA_FILE` is trusted for it too, besides the public authorities.',
  },
  KAFKA_OAUTH_CLIENT_ID: {
    kind: headerValue,
    description: 'The client name at the token endpoint.',
  },
  KAFKA_OAUTH_CLIENT_SECRET: {
    kind: password,
    secret: true,
    description: 'The client secret at the token endpoint, which is sent with HTTP Basic authentication.',
  },
  KAFKA_OAUTH_SCOPE: {
    kind: oauthScope,
    description: 'The scopes to ask for, if the identity provider needs any.',
  },
  KAFKA_SESSION_TIMEOUT: {
    kind: duration({ min: 3_000, max: 600_000 }),
    default: '15s',
    description:
      "The time after which the brokers give up a killed instance. Until then, reading can stop for its partitions and for the whole group. It must be between the brokers' `group.min.session.timeout.ms` and `group.max.session.timeout.ms`.",
  },
} satisfies Variables;
