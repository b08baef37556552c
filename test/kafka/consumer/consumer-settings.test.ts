import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consumerConfig, rebalanceGraces } from '../../../src/kafka/consumer/consumer-settings.ts';

const shortestSessionMs = 3000;
const longestSessionMs = 600_000;

function configOf(sessionTimeoutMs: number, shutdownGraceMs = 25_000) {
  return consumerConfig({ groupId: 'group', minBytes: 1, sessionTimeoutMs, shutdownGraceMs });
}

describe('a rebalance', () => {
  it.each([
    { sessionTimeoutMs: 15_000, requestsMs: 5000 },
    { sessionTimeoutMs: 60_000, requestsMs: 5000 },
    { sessionTimeoutMs: 6000, requestsMs: 2000 },
    { sessionTimeoutMs: 3000, requestsMs: 1000 },
  ])('waits $requestsMs ms for requests with a session of $sessionTimeoutMs ms', ({ sessionTimeoutMs, requestsMs }) => {
    expect(rebalanceGraces(sessionTimeoutMs).requestsMs).toBe(requestsMs);
  });

  it('ends its barrier while the group waits for the member, which learns of that by its next heartbeat', () => {
    fc.assert(
      fc.property(fc.integer({ min: shortestSessionMs, max: longestSessionMs }), (sessionTimeoutMs) => {
        const { heartbeatInterval = 0, maxWaitTimeInMs, rebalanceTimeout } = configOf(sessionTimeoutMs, 0);
        const { requestsMs, handoverMs } = rebalanceGraces(sessionTimeoutMs);
        expect(handoverMs).toBeGreaterThanOrEqual(6000);
        expect(heartbeatInterval + maxWaitTimeInMs + requestsMs + 2 * handoverMs).toBeLessThanOrEqual(rebalanceTimeout);
      }),
    );
  });

  it('waits for an instance that drains, as long as the shutdown may take', () => {
    expect(configOf(15_000, 25_000).rebalanceTimeout).toBe(25_000);
    expect(configOf(15_000, 5000).rebalanceTimeout).toBe(20_000);
  });
});
