import { expect, it } from 'vitest';
import { seedAddress, seedHost } from '../../../src/kafka/kafkajs/broker-sockets.ts';

/** Splits an address like kafkajs. */
function splitByKafkajs(address: string): readonly [host: string | undefined, port: number] {
  const parts = address.split(':');
  return [parts[0], Number(parts[1])];
}

it.each([
  ['localhost:9092', 'localhost', 9092],
  ['kafka-0.my--host.svc:9093', 'kafka-0.my--host.svc', 9093],
  ['10.0.0.1:1', '10.0.0.1', 1],
  ['[::1]:9092', '::1', 9092],
  ['[::]:9092', '::', 9092],
  ['[2001:db8:0:0:1::17]:9094', '2001:db8:0:0:1::17', 9094],
  ['[::ffff:10.0.0.1]:9092', '::ffff:10.0.0.1', 9092],
])('a client is created with %s and connects to %s', (broker, host, port) => {
  const [readHost = '', readPort] = splitByKafkajs(seedAddress(broker));
  expect([seedHost(readHost), readPort]).toEqual([host, port]);
});

it.each(['::1', '2001:db8::1', 'a-b', '127.0.0.1', '[a-b]'])(
  'a host that a broker reports stays as it is: %s',
  (host) => {
    expect(seedHost(host)).toBe(host);
  },
);
