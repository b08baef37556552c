import { describe, expect, it } from 'vitest';
import { unknownVariableWarnings } from '../../../src/settings/checks/unknown-variables.ts';

describe('unknownVariableWarnings', () => {
  it.each([
    ['DELIVERY_TIMEOUTS', 'DELIVERY_TIMEOUT'],
    ['RETRY_DELAY', 'RETRY_DELAYS'],
    ['KAFKA_BROKER', 'KAFKA_BROKERS'],
    ['KAFKA_BOOTSTRAP_SERVERS', 'KAFKA_BROKERS'],
    ['KAFKA_SASL_PASSWORD_FIL', 'KAFKA_SASL_PASSWORD_FILE'],
    ['CIRCUIT_COOL_DOWN', 'CIRCUIT_COOLDOWN'],
    ['DEAD_LETTERS_TOPIC', 'DEAD_LETTER_TOPIC'],
    ['CERTIFICATE_TOPIC', 'CERTIFICATE_TOPICS'],
    ['RETRY_TOPIC_PREFIX_FILE', 'RETRY_TOPIC_PREFIX'],
  ])('warns of %s and suggests %s', (name, suggestion) => {
    expect(unknownVariableWarnings({ [name]: 'hush' })).toEqual([
      `${name} is not a setting; did you mean ${suggestion}?`,
    ]);
  });

  it.each([
    'KAFKA_PORT',
    'KAFKA_PORT_9092_TCP_ADDR',
    'KAFKA_SERVICE_HOST',
    'KAFKA_SERVICE_PORT',
    'KAFKA_SERVICE_PORT_TLS',
    'CERTIFICATE_WEBHOOKS_PORT',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'PATH',
    'RETRYING',
    'MY_KAFKA_BROKERS',
    'HTTP_PORT',
    'KAFKA_SASL_PASSWORD_FILE',
    'DELIVERY_PROXY_URL_FILE',
    'DELIVERY_ALLOWED_PORTS',
  ])('ignores %s', (name) => {
    expect(unknownVariableWarnings({ [name]: 'tcp://10.0.0.1:80' })).toEqual([]);
  });

  it('sorts warnings by name, independent of the environment', () => {
    const names = unknownVariableWarnings({ RETRY_DELAY: '1s', DELIVERY_TIMEOUTS: '1s' }).map((warning) => warning[0]);
    expect(names).toEqual(['D', 'R']);
  });

  it('ignores empty variables, which count as unset', () => {
    expect(unknownVariableWarnings({ DELIVERY_TIMEOUTS: '', RETRY_DELAY: undefined })).toEqual([]);
  });
});
