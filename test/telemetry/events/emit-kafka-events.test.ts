import { describe, expect, it } from 'vitest';
import { someEvents } from '../support/events.ts';

const error = Object.assign(new Error('Connection refused'), { name: 'KafkaJSConnectionError', code: 'ECONNREFUSED' });
const failure = 'KafkaJSConnectionError: Connection refused (ECONNREFUSED)';

describe('a consumer', () => {
  it('that joins its group is logged, and counted as a rebalance', async () => {
    const { events, lines, moved } = someEvents();
    events.consumerJoined({ groupId: 'g', assignment: { 'certificates.completed': [0, 2] } });
    expect(lines()).toEqual([
      { level: 'info', event: 'consumer.joined', groupId: 'g', assignment: { 'certificates.completed': [0, 2] } },
    ]);
    expect(await moved()).toEqual({ rebalances_total: 1 });
  });

  it('that crashes is a warning', () => {
    const { events, lines } = someEvents();
    events.consumerCrashed({ groupId: 'g', error, restarting: false });
    expect(lines()).toEqual([{ level: 'warn', event: 'consumer.crashed', groupId: 'g', failure, restarting: false }]);
  });

  it('that can not commit is counted each time, and logged once', async () => {
    const { events, lines, moved } = someEvents();
    events.commitFailed({ groupId: 'g', error });
    events.commitFailed({ groupId: 'g', error });
    expect(lines()).toEqual([{ level: 'warn', event: 'commit.failed', groupId: 'g', failure }]);
    expect(await moved()).toEqual({ commit_failures_total: 2 });
  });

  it('that falls behind retention is an error with the number of lost records', async () => {
    const { events, lines, moved } = someEvents();
    events.offsetReset({ topic: 'certificates.expired', partition: 1, from: 10, to: 25, lostRecords: 15 });
    expect(lines()).toEqual([
      {
        level: 'error',
        event: 'offset.reset',
        topic: 'certificates.expired',
        partition: 1,
        from: 10,
        to: 25,
        lostRecords: 15,
      },
    ]);
    expect(await moved()).toEqual({ 'offset_resets_total{topic="certificates.expired"}': 1 });
  });

  it('without a commit in any topic counts the records that it may repeat', async () => {
    const { events, lines, moved } = someEvents();
    events.commitMissing({ topic: 'retry.10s', partition: 1, repeated: 15 });
    expect(lines()).toEqual([
      { level: 'warn', event: 'commit.missing', topic: 'retry.10s', partition: 1, records: 15 },
    ]);
    expect(await moved()).toEqual({ 'records_without_commit_total{topic="retry.10s"}': 15 });
  });

  it('that skips settled records counts them without a log line', async () => {
    const { events, lines, moved } = someEvents();
    events.recordsSkipped('retry.10s', 12);
    expect(lines()).toEqual([]);
    expect(await moved()).toEqual({ 'records_skipped_total{topic="retry.10s"}': 12 });
  });
});

describe('a partition', () => {
  it('that can not be decoded is a warning with its offset', () => {
    const { events, lines } = someEvents();
    events.partitionUnreadable({ topic: 't', partition: 3, offset: 17, error, retryInMs: 30_000 });
    const position = { topic: 't', partition: 3, offset: 17 };
    expect(lines()).toEqual([
      { level: 'warn', event: 'partition.unreadable', ...position, failure, retryInMs: 30_000 },
    ]);
  });
});

describe('credentials', () => {
  it('that were replaced are logged, as a warning and a counted failure if they are unusable', async () => {
    const { events, lines, moved } = someEvents();
    events.credentialsReloaded();
    events.credentialsReloadFailed({ reason: "KAFKA_TLS_CERT_FILE names a file that can't be read: tls.crt" });
    expect(lines()).toMatchObject([
      { level: 'info', event: 'credentials.reloaded' },
      { level: 'warn', event: 'credentials.reload_failed', failure: expect.stringContaining('tls.crt') },
    ]);
    expect(await moved()).toEqual({ configuration_reload_failures_total: 1 });
  });
});

describe('tokens', () => {
  const endpoint = 'https://idp.example.com/token';

  it('that cannot be had are a warning with the setting to check', () => {
    const { events, lines } = someEvents();
    events.tokenFailed({ endpoint, reason: 'answers 401 invalid_client', validForMs: 90_000 });
    events.tokenFailed({ endpoint, reason: 'answers 401 invalid_client', validForMs: 80_000 });
    const remedy = expect.stringContaining('KAFKA_OAUTH_CLIENT_SECRET');
    expect(lines()).toEqual([
      {
        level: 'warn',
        event: 'token.failed',
        endpoint,
        failure: 'answers 401 invalid_client',
        remedy,
        validForMs: 90_000,
      },
    ]);
  });

  it('are worth a line if the endpoint failed before', () => {
    const { events, lines } = someEvents();
    events.tokenFetched({ endpoint, lifeMs: 300_000, recovered: false });
    events.tokenFetched({ endpoint, lifeMs: 300_000, recovered: true });
    expect(lines()).toEqual([{ level: 'info', event: 'token.fetched', endpoint, lifeMs: 300_000 }]);
  });
});

describe('the cluster', () => {
  it('that refuses us is a warning with the settings to check', () => {
    const { events, lines } = someEvents();
    const refusal = Object.assign(new Error('SASL PLAIN authentication failed'), {
      name: 'KafkaJSSASLAuthenticationError',
    });
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

  it('without all topics is a warning, and logged again once they exist', () => {
    const { events, lines } = someEvents();
    events.topicsMissing(['retry.10s', 'dead-letters']);
    events.topicsMissing(['retry.10s']);
    events.topicsMissing([]);
    expect(lines()).toEqual([
      {
        level: 'warn',
        event: 'topics.missing',
        topics: ['retry.10s', 'dead-letters'],
        remedy: 'certificate-webhooks topics --create, or allow Describe on them',
      },
      { level: 'info', event: 'topics.found' },
    ]);
  });
});

describe('a write to a tier or the dead-letter topic', () => {
  it('is counted when it is acknowledged, without a log line', async () => {
    const { events, lines, moved } = someEvents();
    events.retryScheduled({ tier: '1m', records: 3 });
    events.deadLetterWritten({ reason: 'too_large' });
    expect(lines()).toEqual([]);
    expect(await moved()).toEqual({
      'retries_scheduled_total{tier="1m"}': 3,
      'dead_letters_total{reason="too_large"}': 1,
    });
  });

  it('that fails is counted each time, and logged once per topic', async () => {
    const { events, lines, moved } = someEvents();
    events.handoffFailed({ kind: 'retry', topic: 'retry.1m', error, retryInMs: 500 });
    events.handoffFailed({ kind: 'retry', topic: 'retry.1m', error, retryInMs: 500 });
    events.handoffFailed({ kind: 'dead_letter', topic: 'dead-letters', error, retryInMs: 500 });
    const line = { level: 'warn', event: 'handoff.failed', failure, retryInMs: 500 };
    expect(lines()).toEqual([
      { ...line, kind: 'retry', topic: 'retry.1m' },
      { ...line, kind: 'dead_letter', topic: 'dead-letters' },
    ]);
    expect(await moved()).toEqual({
      'handoff_failures_total{kind="retry"}': 2,
      'handoff_failures_total{kind="dead_letter"}': 1,
    });
  });
});
