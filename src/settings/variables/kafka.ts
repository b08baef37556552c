import { certificates, password, privateKey } from '../kinds/file-kinds.ts';
import { broker, identifier } from '../kinds/kafka-kinds.ts';
import { boolean, duration, oneOf } from '../kinds/kind.ts';
import { listOf, noneTwice } from '../kinds/list-kind.ts';
import { headerValue } from '../kinds/network-kinds.ts';
import type { VariableGroup, Variables } from '../variable.ts';

const variables = {
  KAFKA_BROKERS: {
    kind: listOf(broker, noneTwice(String)),
    required: true,
    meaning: 'Where to find the cluster. One cluster holds all topics.',
  },
  KAFKA_CLIENT_ID: {
    kind: identifier,
    default: 'certificate-webhooks',
    meaning: 'The name under which brokers log this client and count its quotas.',
  },
  KAFKA_GROUP_ID: {
    kind: identifier,
    default: 'certificate-webhooks',
    meaning:
      'The consumer group that reads the certificate topics. The group that reads the tiers is called `GROUP.retry`, and any further one begins with `GROUP.` too.',
  },
  KAFKA_TLS: {
    kind: boolean,
    default: 'false',
    meaning:
      'Whether to speak TLS with the brokers. Without it, credentials and certificates cross the network in clear.',
  },
  KAFKA_TLS_CA_FILE: {
    kind: certificates,
    file: true,
    meaning:
      'The certificate authorities that vouch for the brokers, instead of the public ones. Read again when it changes.',
  },
  KAFKA_TLS_CERT_FILE: {
    kind: certificates,
    file: true,
    meaning: 'The certificate, and its chain, by which the brokers know this client. Read again when it changes.',
  },
  KAFKA_TLS_KEY_FILE: {
    kind: privateKey,
    file: true,
    meaning: 'The private key of `KAFKA_TLS_CERT_FILE`. Read again when it changes.',
  },
  KAFKA_SASL_MECHANISM: {
    kind: oneOf(['plain', 'scram-sha-256', 'scram-sha-512']),
    meaning: 'How to log in to the brokers. Needs a user name and a password.',
  },
  KAFKA_SASL_USERNAME: { kind: headerValue, meaning: 'The user to log in as.' },
  KAFKA_SASL_PASSWORD: { kind: password, secret: true, meaning: "That user's password." },
  KAFKA_SESSION_TIMEOUT: {
    kind: duration({ min: 3_000, max: 600_000 }),
    default: '15s',
    meaning:
      "How long the partitions of a killed instance, and with them the whole group, stand still. Has to lie between the brokers' `group.min.session.timeout.ms` and `group.max.session.timeout.ms`.",
  },
} satisfies Variables;

export const kafkaVariables = { title: 'Kafka', variables } satisfies VariableGroup;
