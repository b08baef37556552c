import { describe, expect, it } from 'vitest';
import type { Events } from '../../../src/telemetry/events/events.ts';
import { someEvents } from '../support/events.ts';

const error = Object.assign(new Error('Connection refused'), { name: 'KafkaJSConnectionError', code: 'ECONNREFUSED' });
const failure = 'KafkaJSConnectionError: Connection refused (ECONNREFUSED)';
const assignment = { 'certificates.completed': [0, 2] };
const reset = { topic: 'certificates.expired', partition: 1, from: 10, to: 25, lostRecords: 15 };
const unreadable = { topic: 't', partition: 3, offset: 17, retryInMs: 30_000 };
const token = { endpoint: 'https://idp.example.com/token', lifeMs: 300_000 };
const tokenFailure = { endpoint: token.endpoint, validForMs: 90_000 };
const [retryFailed, deadLetterFailed] = [
  { kind: 'retry', topic: 'retry.1m', retryInMs: 500 } as const,
  { kind: 'dead_letter', topic: 'dead-letters', retryInMs: 500 } as const,
];
const missing = ['retry.10s', 'dead-letters'];

type Row = [
  title: string,
  emit: (events: Events) => void,
  lines: readonly object[],
  moved?: Readonly<Record<string, number>>,
];

describe('of the events of Kafka', () => {
  it.each<Row>([
    [
      'a join is logged, and counted as a rebalance',
      (events) => events.consumerJoined({ groupId: 'g', assignment }),
      [{ level: 'info', event: 'consumer.joined', groupId: 'g', assignment }],
      { rebalances_total: 1 },
    ],
    [
      'a crash is a warning',
      (events) => events.consumerCrashed({ groupId: 'g', error, restarting: false }),
      [{ level: 'warn', event: 'consumer.crashed', groupId: 'g', failure, restarting: false }],
    ],
    [
      'a commit that fails is counted each time, and logged once',
      (events) => [1, 2].forEach(() => events.commitFailed({ groupId: 'g', error })),
      [{ level: 'warn', event: 'commit.failed', groupId: 'g', failure }],
      { commit_failures_total: 2 },
    ],
    [
      'a consumer that falls behind retention is an error with the number of lost records',
      (events) => events.offsetReset(reset),
      [{ level: 'error', event: 'offset.reset', ...reset }],
      { 'offset_resets_total{topic="certificates.expired"}': 1 },
    ],
    [
      'a partition without a commit counts the records that it may repeat',
      (events) => events.commitMissing({ topic: 'retry.10s', partition: 1, repeated: 15 }),
      [{ level: 'warn', event: 'commit.missing', topic: 'retry.10s', partition: 1, records: 15 }],
      { 'records_without_commit_total{topic="retry.10s"}': 15 },
    ],
    [
      'settled records that are skipped are counted without a line',
      (events) => events.recordsSkipped('retry.10s', 12),
      [],
      { 'records_skipped_total{topic="retry.10s"}': 12 },
    ],
    [
      'a partition that can not be decoded is a warning with its offset',
      (events) => events.partitionUnreadable({ ...unreadable, error }),
      [{ level: 'warn', event: 'partition.unreadable', ...unreadable, failure }],
    ],
    [
      'credentials that were replaced are logged',
      (events) => events.credentialsReloaded(),
      [{ level: 'info', event: 'credentials.reloaded' }],
    ],
    [
      'unusable credentials are a warning, and counted',
      (events) => events.credentialsReloadFailed({ reason: "KAFKA_TLS_CERT_FILE names a file that can't be read" }),
      [
        {
          level: 'warn',
          event: 'credentials.reload_failed',
          failure: "KAFKA_TLS_CERT_FILE names a file that can't be read",
        },
      ],
      { configuration_reload_failures_total: 1 },
    ],
    [
      'a token that cannot be had is a warning with the setting to check',
      (events) => [1, 2].forEach(() => events.tokenFailed({ ...tokenFailure, reason: 'answers 401 invalid_client' })),
      [
        {
          level: 'warn',
          event: 'token.failed',
          ...tokenFailure,
          failure: 'answers 401 invalid_client',
          remedy: expect.stringContaining('KAFKA_OAUTH_CLIENT_SECRET'),
        },
      ],
    ],
    [
      'a token is worth a line if the endpoint failed before',
      (events) => [false, true].forEach((recovered) => events.tokenFetched({ ...token, recovered })),
      [{ level: 'info', event: 'token.fetched', ...token }],
    ],
    [
      'topics that are missing are a warning, and logged again once they exist',
      (events) => [missing, missing.slice(1), []].forEach((topics) => events.topicsMissing(topics)),
      [
        {
          level: 'warn',
          event: 'topics.missing',
          topics: missing,
          remedy: 'certificate-webhooks topics --create, or allow Describe on them',
        },
        { level: 'info', event: 'topics.found' },
      ],
    ],
    [
      'a retry that is acknowledged is counted without a line',
      (events) => events.retryScheduled({ tier: '1m', records: 3 }),
      [],
      { 'retries_scheduled_total{tier="1m"}': 3 },
    ],
    [
      'a dead letter that is acknowledged is counted without a line',
      (events) => events.deadLetterWritten({ reason: 'too_large' }),
      [],
      { 'dead_letters_total{reason="too_large"}': 1 },
    ],
    [
      'a write that fails is counted each time, and logged once per topic',
      (events) =>
        [retryFailed, retryFailed, deadLetterFailed].forEach((failed) => events.handoffFailed({ ...failed, error })),
      [
        { level: 'warn', event: 'handoff.failed', failure, ...retryFailed },
        { level: 'warn', event: 'handoff.failed', failure, ...deadLetterFailed },
      ],
      { 'handoff_failures_total{kind="retry"}': 2, 'handoff_failures_total{kind="dead_letter"}': 1 },
    ],
  ])('%s', async (_title, emit, expected, counts = {}) => {
    const { events, lines, moved } = someEvents();
    emit(events);
    expect(lines()).toEqual(expected);
    expect(await moved()).toEqual(counts);
  });
});

describe('the cluster', () => {
  it('that refuses us is a warning with the settings to check', () => {
    const { events, lines } = someEvents();
    const name = 'KafkaJSSASLAuthenticationError';
    const refusal = Object.assign(new Error('SASL PLAIN authentication failed'), { name });
    events.kafkaUnreachable({ doing: 'asking', error: refusal, retryInMs: 1000 });
    expect(lines()).toMatchObject([{ remedy: expect.stringContaining('KAFKA_SASL_PASSWORD') }]);
  });

  it('out of reach is one warning per half minute and action, with the number held back', async () => {
    const { events, clock, lines } = someEvents();
    const tryTwice = (doing: string): void => {
      events.kafkaUnreachable({ doing, error, retryInMs: 1000 });
      events.kafkaUnreachable({ doing, error, retryInMs: 2000 });
    };
    tryTwice('joining the group');
    tryTwice('reading the configurations');
    await clock.advance(30_000);
    tryTwice('joining the group');
    const line = { level: 'warn', event: 'kafka.unreachable', failure, retryInMs: 1000 };
    expect(lines()).toEqual([
      { ...line, doing: 'joining the group' },
      { ...line, doing: 'reading the configurations' },
      { ...line, doing: 'joining the group', heldBack: 1 },
    ]);
  });

  it('out of reach is logged each time at debug level', () => {
    const { events, lines } = someEvents('debug');
    events.kafkaUnreachable({ doing: 'joining the group', error, retryInMs: 1000 });
    events.kafkaUnreachable({ doing: 'joining the group', error, retryInMs: 2000 });
    expect(lines()).toMatchObject([{ level: 'warn' }, { level: 'debug', retryInMs: 2000 }]);
  });
});
