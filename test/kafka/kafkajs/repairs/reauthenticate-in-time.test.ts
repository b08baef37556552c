import { expect, it } from 'vitest';
import type { Connection } from '../../../../src/kafka/kafkajs/internals.ts';
import { reauthenticateInTime } from '../../../../src/kafka/kafkajs/repairs/logins.ts';

it.each([
  { lifetimeMs: 3_000, thresholdMs: 1_000 },
  { lifetimeMs: 12_000, thresholdMs: 4_000 },
  { lifetimeMs: 3_600_000, thresholdMs: 10_000 },
])('a session of $lifetimeMs ms is renewed $thresholdMs ms before it ends', ({ lifetimeMs, thresholdMs }) => {
  const prototype: Connection = Object.assign(Object.create(null), { connect: () => Promise.resolve(true) });
  reauthenticateInTime(prototype);
  const connection: Connection & { sessionLifetime: unknown } = Object.assign(Object.create(prototype), {
    reauthenticationThreshold: 10_000,
  });
  connection.sessionLifetime = BigInt(lifetimeMs);
  expect(connection.reauthenticationThreshold).toBe(thresholdMs);
  expect(connection.sessionLifetime).toBe(BigInt(lifetimeMs));
});
