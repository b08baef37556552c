import { authorities, certificates, keySet, password, privateKey } from '../kinds/file-kinds.ts';
import { broker, certificateTopics, identifier, startPosition, webhookSource } from '../kinds/kafka-kinds.ts';
import { boolean, duration, listOf, oneOf, size, wholeNumber } from '../kinds/kind.ts';
import { basicUserName, headerValue, oauthScope, serviceUrl, tokenUrl } from '../kinds/network-kinds.ts';
import { setting } from '../variable.ts';

export const inputVariables = {
  Kafka: {
    KAFKA_BROKERS: setting('kafka.brokers', listOf(broker), { required: true }).says(
      'The brokers to connect to first. All topics are in one cluster.',
    ),
    KAFKA_CLIENT_ID: setting('kafka.clientId', identifier, { default: 'certificate-webhooks' }).says(
      'The client name that brokers use in their logs and for quotas.',
    ),
    KAFKA_GROUP_ID: setting('kafka.groupId', identifier, { default: 'certificate-webhooks' }).says(
      'The consumer group that reads the certificate topics. The group that reads the retry topics is `GROUP.retry`. Any other group also begins with `GROUP.`.',
    ),
    KAFKA_TLS: setting('kafka.tls.enabled', boolean, { default: 'false' }).says(
      '`true` to use TLS to the brokers. Without TLS, credentials and certificates are sent in clear text.',
    ),
    KAFKA_TLS_CA_FILE: setting('kafka.tls.certificateAuthorities', authorities, { file: true }).says(
      'Certificate authorities to trust for the brokers, instead of the public ones. The file or folder is read again when it changes.',
    ),
    KAFKA_TLS_CERT_FILE: setting('kafka.tls.chain', certificates, { file: true }).says(
      'The client certificate for the brokers, with its chain. The file is read again when it changes.',
    ),
    KAFKA_TLS_KEY_FILE: setting('kafka.tls.key', privateKey, { file: true }).says(
      'The private key of `KAFKA_TLS_CERT_FILE`. The file is read again when it changes.',
    ),
    KAFKA_SASL_MECHANISM: setting(
      'kafka.sasl.mechanism',
      oneOf(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']),
    ).says(
      'The login mechanism for the brokers. `oauthbearer` needs the variables `KAFKA_OAUTH_*`, the others a user name and a password.',
    ),
    KAFKA_SASL_USERNAME: setting('kafka.sasl.username', headerValue).says('The user name for the brokers.'),
    KAFKA_SASL_PASSWORD: setting('kafka.sasl.password', password, { secret: true }).says(
      'The password for the brokers.',
    ),
    KAFKA_OAUTH_TOKEN_URL: setting('kafka.sasl.tokenUrl', tokenUrl).says(
      'The token endpoint of the identity provider, for `oauthbearer`. The service gets its tokens there with the grant `client_credentials`, each before the last one expires. `KAFKA_TLS_CA_FILE` is trusted for it too, besides the public authorities.',
    ),
    KAFKA_OAUTH_CLIENT_ID: setting('kafka.sasl.clientId', headerValue).says('The client name at the token endpoint.'),
    KAFKA_OAUTH_CLIENT_SECRET: setting('kafka.sasl.clientSecret', password, { secret: true }).says(
      'The client secret at the token endpoint, which is sent with HTTP Basic authentication.',
    ),
    KAFKA_OAUTH_SCOPE: setting('kafka.sasl.scope', oauthScope).says(
      'The scopes to ask for, if the identity provider needs any.',
    ),
    KAFKA_SESSION_TIMEOUT: setting('kafka.sessionTimeoutMs', duration({ min: 3_000, max: 600_000 }), {
      default: '15s',
    }).says(
      "The time after which the brokers give up a killed instance. Until then, reading can stop for its partitions and for the whole group. It must be between the brokers' `group.min.session.timeout.ms` and `group.max.session.timeout.ms`.",
    ),
  },
  Certificates: {
    CERTIFICATE_TOPICS: setting('certificates.topics', certificateTopics, {
      default: 'certificates.completed=certificate_completed,certificates.expired=certificate_expired',
    }).says(
      'The topics to read. The event type after `=` applies to all records of that topic. A topic without `=` is mixed: each record has its event type in the header `event-type` or `ce_type`. If both are missing, `expires` decides.',
    ),
    CERTIFICATE_START: setting('certificates.start', startPosition).says(
      'Where to start in a topic that has records but no committed offset of the group. If it is unset, `serve` stops with exit code 2 and says so: only a person can know whether the existing records should be delivered. If some partitions of a topic have a committed offset, the others start at their earliest record.',
    ),
    SCHEMA_REGISTRY_URL: setting('schemaRegistry.urls', listOf(serviceUrl)).says(
      'The URL of the schema registry, including the path of its API. Needed only for values in the Confluent framing. Several URLs are addresses of one registry: if one does not answer, the next is used.',
    ),
    SCHEMA_REGISTRY_USERNAME: setting('schemaRegistry.username', basicUserName).says(
      'The user name for the schema registry.',
    ),
    SCHEMA_REGISTRY_PASSWORD: setting('schemaRegistry.password', password, { secret: true }).says(
      'The password for the schema registry.',
    ),
    SCHEMA_REGISTRY_CA_FILE: setting('schemaRegistry.certificateAuthorities', authorities, { file: true }).says(
      'Certificate authorities to trust for the schema registry, in addition to the public ones.',
    ),
  },
  'Webhook configurations': {
    WEBHOOK_CONFIGURATIONS: setting('webhooks.source', webhookSource, {
      default: 'kafka:certificates.webhook-configurations',
    }).says(
      'The source of the webhook configurations. Files are JSON or YAML, and are read again when they change; YAML ten seconds after its last change. In a folder, all `.json`, `.yaml` and `.yml` files are read.',
    ),
    WEBHOOK_KEYS_FILE: setting('webhooks.keys', keySet, { file: true }).says(
      'The keys that open sealed webhook configurations. The first one seals. The file is read again when it changes.',
    ),
    WEBHOOK_REQUIRE_SEALED: setting('webhooks.requireSealed', boolean, { default: 'false' }).says(
      '`true` to reject webhook configurations whose credentials are not sealed: an `auth` other than `none`, or non-empty `customHeaders`. It needs `WEBHOOK_KEYS_FILE`.',
    ),
  },
  Intake: {
    INTAKE_MAX_RECORDS: setting('intake.maxRecords', wholeNumber({ min: 4, max: 10_000_000 }), {
      default: '10000',
    }).says(
      'The maximum of unsettled records in the process, and of deliveries that are started and not settled. A quarter is only for retries. A partition pauses once it has used up its share.',
    ),
    INTAKE_MAX_BYTES: setting('intake.maxBytes', size({ min: 1024 ** 2, max: 64 * 1024 ** 3 }), {
      default: '64MiB',
    }).says(
      'The maximum size of the unsettled records together. Each counts its content, and 400 bytes for a header. Their number has a limit of its own. A quarter is only for retries.',
    ),
    RECORD_MAX_BYTES: setting('intake.maxRecordBytes', size({ min: 1024, max: 64 * 1024 ** 2 }), {
      default: '8MiB',
    }).says(
      'The largest value of a certificate record after decompression. A record with a larger one becomes a dead letter, `too_large`.',
    ),
    INTAKE_MAX_SPAN: setting('intake.maxSpan', wholeNumber({ min: 1, max: 100_000_000 }), { default: '50000' }).says(
      "The maximum distance between a partition's committed offset and its newest record read. When it is reached, that partition pauses. A crash repeats at most this many records of a partition.",
    ),
  },
};
