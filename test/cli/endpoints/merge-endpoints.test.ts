import { describe, expect, it } from 'vitest';
import { mergeEndpoints } from '../../../src/cli/endpoints.ts';
import { anInstanceEndpoint } from './instance-endpoint.ts';

describe('the endpoints of several instances', () => {
  it('are merged by configuration: the worst circuit, the most failures, the earliest time, the latest outcome', () => {
    const common = { configurationId: 'a', ownerId: 'owner', host: 'hooks.test' };
    const outcome = { lastOutcome: 'http_error', lastStatus: 503, lastMessage: 'answered 503' } as const;
    const latest = { ...outcome, lastOutcomeAt: '2026-11-21T12:00:20.000Z' };
    const merged = mergeEndpoints([
      anInstanceEndpoint({
        ...common,
        instance: 'one',
        circuit: 'half_open',
        health: 'failing',
        failures: 12,
        failingSince: '2026-11-21T12:00:05.000Z',
        inFlight: 1,
        waiting: 3,
        lastOutcome: 'timeout',
        lastMessage: 'no response',
        lastOutcomeAt: '2026-11-21T12:00:10.000Z',
      }),
      anInstanceEndpoint({
        ...common,
        instance: 'two',
        circuit: 'open',
        health: 'failing',
        failures: 10,
        failingSince: '2026-11-21T12:00:00.000Z',
        waiting: 4,
        ...latest,
      }),
      anInstanceEndpoint({ ...common, instance: 'three', inFlight: 2, health: 'late' }),
    ]);
    expect(merged).toEqual([
      {
        ...common,
        state: 'active',
        circuit: 'open',
        health: 'failing',
        failures: 12,
        failingSince: '2026-11-21T12:00:00.000Z',
        inFlight: 3,
        waiting: 7,
        ...latest,
      },
    ]);
  });

  it('count once for an instance that was asked at two addresses', () => {
    const endpoint = anInstanceEndpoint({ instance: 'one', waiting: 5 });
    expect(mergeEndpoints([endpoint, endpoint])).toMatchObject([{ waiting: 5 }]);
  });

  it('come in the order of their failures, then of their waiting deliveries', () => {
    const merged = mergeEndpoints([
      anInstanceEndpoint({ configurationId: 'healthy' }),
      anInstanceEndpoint({ configurationId: 'crowded', waiting: 9 }),
      anInstanceEndpoint({ configurationId: 'also healthy' }),
      anInstanceEndpoint({ configurationId: 'failing', failures: 1, health: 'failing' }),
    ]);
    const ids = merged.map(({ configurationId }) => configurationId);
    expect(ids).toEqual(['failing', 'crowded', 'also healthy', 'healthy']);
  });
});
