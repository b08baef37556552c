import { describe, expect, it } from 'vitest';
import {
  broker,
  certificateTopic,
  identifier,
  startPosition,
  topic,
  topicPrefix,
  webhookSource,
} from '../../../src/settings/kinds/kafka-kinds.ts';

describe('a topic', () => {
  it.each(['a', 'certificates.completed', 'A_b-9', '...', 'x'.repeat(249)])('can have the name %s', (text) => {
    expect(topic.parse(text)).toEqual({ kind: 'value', value: text });
  });

  it.each(['', '.', '..', 'a b', 'a/b', 'ä', 'x'.repeat(250)])('cannot have the name %j', (text) => {
    expect(topic.parse(text)).toEqual({ kind: 'wrong' });
  });

  it('leaves room for the delay after a prefix', () => {
    expect(topicPrefix.parse('x'.repeat(230)).kind).toBe('value');
    expect(topicPrefix.parse('x'.repeat(231)).kind).toBe('wrong');
  });
});

describe('a broker', () => {
  const addresses = ['10.0.0.1:1', '[::1]:9092', '[2001:DB8:0::17]:9092', '[::ffff:10.0.0.1]:9092'];
  it.each(['localhost:9092', 'kafka-0.kafka.svc:9093', 'a:65535', ...addresses])('is %s', (text) => {
    expect(broker.parse(text)).toEqual({ kind: 'value', value: text });
  });

  const noAddresses = '::1:9092 [::1] [::1]: [::1]:0 [10.0.0.1]:9092 [::g]:9092 [fe80::1%eth0]:9092'.split(' ');
  it.each(['localhost', 'localhost:', ':9092', 'a:0', 'a:65536', 'kafka://a:9092', 'user:pw@a:9092', ...noAddresses])(
    'is not %s',
    (text) => {
      expect(broker.parse(text)).toEqual({ kind: 'wrong' });
    },
  );
});

describe('an identifier', () => {
  it('has no spaces and no control characters', () => {
    expect(identifier.parse('certificate-webhooks').kind).toBe('value');
    for (const text of ['two words', 'tab\there', 'é']) expect(identifier.parse(text).kind).toBe('wrong');
  });
});

describe('a certificate topic', () => {
  it('is mixed if it has no event type', () => {
    expect(certificateTopic.parse('all')).toEqual({ kind: 'value', value: { topic: 'all', eventType: undefined } });
  });

  it('has the event type after the equals sign', () => {
    const value = { topic: 'done', eventType: 'certificate_completed' };
    expect(certificateTopic.parse('done=certificate_completed')).toEqual({ kind: 'value', value });
  });

  it.each(['', '=certificate_completed', 'done=', 'done=completed', 'done=certificate_completed=x', 'a b'])(
    'cannot be %j',
    (text) => {
      expect(certificateTopic.parse(text).kind).toBe('wrong');
    },
  );
});

describe('a start position', () => {
  it.each([
    ['earliest', { kind: 'earliest' }],
    ['latest', { kind: 'latest' }],
    ['2026-01-31T00:00:00Z', { kind: 'time', at: Date.UTC(2026, 0, 31) }],
    ['2026-01-31T01:30:00.250+01:00', { kind: 'time', at: Date.UTC(2026, 0, 31, 0, 30, 0, 250) }],
    ['2026-01-31', { kind: 'time', at: Date.UTC(2026, 0, 31) }],
  ])('reads %s', (text, value) => {
    expect(startPosition.parse(text)).toEqual({ kind: 'value', value });
  });

  it.each(['', 'Earliest', 'tomorrow', '2026-02-30', '2026-02-30T00:00:00Z', '2026-01-31T00:00:00', '1769817600000'])(
    'refuses %j',
    (text) => {
      expect(startPosition.parse(text)).toEqual({ kind: 'wrong' });
    },
  );
});

describe('a source of webhook configurations', () => {
  it.each([
    ['kafka:hooks', { kind: 'kafka', topic: 'hooks' }],
    ['file:/etc/hooks', { kind: 'file', path: '/etc/hooks' }],
    ['file:C:odd:path', { kind: 'file', path: 'C:odd:path' }],
  ])('reads %s', (text, value) => {
    expect(webhookSource.parse(text)).toEqual({ kind: 'value', value });
  });

  it.each(['', 'hooks', 'kafka:', 'file:', 'kafka:a b', 'http://a'])('refuses %j', (text) => {
    expect(webhookSource.parse(text)).toEqual({ kind: 'wrong' });
  });
});
