import { expect, it } from 'vitest';
import { brokerProperties, propertiesText } from './broker-properties.ts';

const listeners = [{ name: 'TLS', protocol: 'SSL', properties: {} }] as const;

it('assigns every broker a block of ports, and lists all controllers', () => {
  const layout = { brokers: 3, firstPort: 20_000, folder: '/data', listeners };
  expect(brokerProperties(2, layout)).toMatchObject({
    'node.id': 2,
    'log.dirs': '/data/data-2',
    listeners: 'PLAINTEXT://127.0.0.1:20010,TLS://127.0.0.1:20011,CONTROLLER://127.0.0.1:20019',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,TLS:SSL,CONTROLLER:PLAINTEXT',
    'controller.quorum.voters': '1@127.0.0.1:20009,2@127.0.0.1:20019,3@127.0.0.1:20029',
  });
});

it.each([
  [1, 1, 1],
  [3, 3, 2],
])('sets, for %i brokers, %i replicas and %i in sync', (brokers, replicas, inSync) => {
  const properties = brokerProperties(1, { brokers, firstPort: 20_000, folder: '/data', listeners: [] });
  expect(properties).toMatchObject({ 'default.replication.factor': replicas, 'min.insync.replicas': inSync });
});

it('escapes newlines in a value', () => {
  expect(propertiesText({ key: 'a\nb', other: 1 })).toBe('key=a\\nb\nother=1\n');
});
