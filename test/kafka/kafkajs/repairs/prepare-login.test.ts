import { expect, it } from 'vitest';
import type { SaslAuthenticator } from '../../../../src/kafka/kafkajs/internals.ts';
import { prepareLogin } from '../../../../src/kafka/kafkajs/repairs/logins.ts';

function authenticatorWith(sasl: SaslAuthenticator['connection']['sasl'], steps: string[]): SaslAuthenticator {
  const prototype: SaslAuthenticator = { connection: { sasl }, authenticate: async () => void steps.push('handshake') };
  prepareLogin(prototype);
  return prototype;
}

it('prepares a login before its handshake', async () => {
  const steps: string[] = [];
  await authenticatorWith({ prepare: async () => steps.push('token') }, steps).authenticate();
  expect(steps).toEqual(['token', 'handshake']);
});

it('sends no handshake if it cannot be prepared', async () => {
  const steps: string[] = [];
  const authenticator = authenticatorWith({ prepare: () => Promise.reject(new Error('no token')) }, steps);
  await expect(authenticator.authenticate()).rejects.toThrow('no token');
  expect(steps).toEqual([]);
});

it('changes no login of another mechanism', async () => {
  const steps: string[] = [];
  await authenticatorWith({ mechanism: 'plain' }, steps).authenticate();
  expect(steps).toEqual(['handshake']);
});
