import { describe, expect, it } from 'vitest';
import { endpointsStatus, selectedEndpoints, type EndpointSources } from '../../src/flow/endpoint-status.ts';
import { Gate } from '../../src/flow/gate.ts';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import type { Webhook, WebhookState } from '../../src/webhooks/webhook.ts';
import { anOwner } from '../support/service/record-context.ts';
import {
  aPolicy,
  aWebhook as anActiveWebhook,
  capacityOf,
  failure,
  success,
  timeout,
} from './support/gates-under-test.ts';
import { TestRun } from './support/test-run.ts';

const now = 1_000_000;
const bootedAt = Date.UTC(2026, 10, 21, 12);
const policy = aPolicy({ capacity: capacityOf(384), failures: 3 });

/** Gates whose webhooks are all in the directory, and further webhooks that no gate knows. */
function sourcesAt(
  monotonic: number,
  gates: readonly Gate[],
  webhooks: readonly Webhook[] = gates.map(({ webhook }) => webhook),
): EndpointSources {
  return {
    gates: { all: () => gates, of: (id) => gates.find(({ webhook }) => webhook.id === id) },
    directory: {
      byId: (id) => webhooks.find((webhook) => webhook.id === id),
      ofOwner: (owner) => webhooks.filter(({ ownerId }) => ownerId === owner),
    },
    clock: { now: () => bootedAt + monotonic, monotonic: () => monotonic },
  };
}

function aWebhook(id: string, state: WebhookState = 'active', ownerId: string = 'owner'): Webhook {
  const url = new URL('https://user:hush@hooks.test:8443/secret-path?token=hush');
  const endpoint = { url, authentication: { authType: 'api_key', token: 'hush' } as const, customHeaders: {} };
  const refuse = (): never => {
    throw new Error('a refused configuration has no endpoint');
  };
  const isReadable = state === 'active' || state === 'paused';
  return { ...anActiveWebhook(id), ownerId, state, endpoint: isReadable ? () => endpoint : refuse };
}

interface GateHistory {
  readonly outcomes?: readonly Outcome[];
  readonly waiting?: number;
  /** Requests in flight that are late. */
  readonly late?: number;
}

const waiter = (): TestRun => new TestRun({ owner: anOwner() });

function aGate(id: string, { outcomes = [], waiting = 0, late = 0 }: GateHistory): Gate {
  const gate = new Gate(aWebhook(id), policy);
  for (const [second, outcome] of outcomes.entries()) {
    const at = now + 1000 * second;
    gate.finish(outcome, gate.start('first', at), at);
  }
  for (let number = 0; number < waiting; number += 1) gate.line.enter(waiter());
  for (let number = 0; number < late; number += 1) {
    gate.count('first', true, 1);
    gate.countLate('late', 1);
  }
  return gate;
}

describe('the endpoints that fail', () => {
  it('are those with a failure since their last success, the worst first', () => {
    const gates = [
      aGate('once', { outcomes: [timeout] }),
      aGate('recovered', { outcomes: [timeout, timeout, success] }),
      aGate('thrice', { outcomes: [timeout, failure, failure], waiting: 2 }),
      aGate('never asked', {}),
    ];
    expect(endpointsStatus(sourcesAt(now + 5000, gates)).failing.first).toEqual([
      {
        configurationId: 'thrice',
        ownerId: 'owner',
        state: 'active',
        host: 'hooks.test:8443',
        health: 'failing',
        circuit: 'open',
        openUntil: bootedAt + now + 32_000,
        failures: 3,
        failingSince: bootedAt + now,
        inFlight: 0,
        waiting: 2,
        lastOutcome: 'http_error',
        lastStatus: 500,
        lastMessage: 'answered 500',
        lastOutcomeAt: bootedAt + now + 2000,
      },
      expect.objectContaining({
        configurationId: 'once',
        circuit: 'closed',
        openUntil: undefined,
        lastStatus: undefined,
        lastMessage: 'no answer in time',
      }),
    ]);
  });

  it('have no time for a probe once that time has come', () => {
    const gates = [aGate('open', { outcomes: [timeout, timeout, timeout] })];
    expect(endpointsStatus(sourcesAt(now + 32_000, gates)).failing.first).toMatchObject([
      { circuit: 'half_open', openUntil: undefined },
    ]);
  });

  it('are a hundred at most', () => {
    const gates = Array.from({ length: 120 }, (_, index) => aGate(String(index), { outcomes: [timeout] }));
    const { circuits, failing } = endpointsStatus(sourcesAt(now, gates));
    expect([circuits.closed, failing.total, failing.first.length]).toEqual([120, 120, 100]);
  });
});

describe('an endpoint with limits', () => {
  it('shows them, and that deliveries wait for its attempts a minute', () => {
    const limits = { inFlight: 4, perMinute: 6 };
    const gate = new Gate({ ...aWebhook('limited'), limits }, policy, now);
    const crowdedAt = (at: number) => endpointsStatus(sourcesAt(at, [gate])).crowded.first;
    expect(crowdedAt(now)).toEqual([]);
    gate.line.enter(waiter());
    expect(crowdedAt(now)).toMatchObject([{ limits, health: 'healthy', waiting: 1 }]);
    gate.countLate('paced', 1);
    expect(crowdedAt(now + 1000)).toMatchObject([{ limits, health: 'paced', waiting: 1 }]);
  });
});

describe('an endpoint that failed', () => {
  it.each([
    ['the state that its configuration has now', [aWebhook('one', 'paused')], 'paused', 'hooks.test:8443'],
    ['no host when its configuration is refused', [aWebhook('one', 'invalid')], 'invalid', undefined],
    ['the host that it had when its configuration is gone', [], 'removed', 'hooks.test:8443'],
  ])('has %s', (_, webhooks, state, host) => {
    const sources = sourcesAt(now, [aGate('one', { outcomes: [timeout] })], webhooks);
    expect(endpointsStatus(sources).failing.first).toMatchObject([
      { configurationId: 'one', state, host, failures: 1 },
    ]);
  });
});

describe('a selection', () => {
  it('of a configuration shows its endpoint, whether it fails or not', () => {
    const gates = [aGate('fails', { outcomes: [timeout] }), aGate('works', { outcomes: [success] })];
    const sources = sourcesAt(now + 1000, gates);
    const selected = ['fails', 'works'].flatMap((id) => selectedEndpoints({ by: 'configuration', id }, sources));
    expect(selected).toMatchObject([
      { configurationId: 'fails', failures: 1, failingSince: bootedAt + now, lastOutcome: 'timeout' },
      {
        configurationId: 'works',
        failures: 0,
        failingSince: undefined,
        lastOutcome: 'delivered',
        lastMessage: undefined,
      },
    ]);
  });

  it('shows an endpoint that was not used lately as healthy, with the state of its configuration', () => {
    const states = ['active', 'paused', 'disabled', 'invalid'] as const;
    const webhooks = states.map((state) => aWebhook(state, state));
    const sources = sourcesAt(now, [], webhooks);
    const use = { health: 'healthy', circuit: 'closed', failures: 0, inFlight: 0, waiting: 0, lastOutcome: undefined };
    expect(selectedEndpoints({ by: 'owner', id: 'owner' }, sources)).toMatchObject([
      { configurationId: 'active', state: 'active', host: 'hooks.test:8443', ...use },
      { configurationId: 'paused', state: 'paused', host: 'hooks.test:8443', ...use },
      { configurationId: 'disabled', state: 'disabled', host: undefined, ...use },
      { configurationId: 'invalid', state: 'invalid', host: undefined, ...use },
    ]);
  });

  it("of an owner shows the owner's endpoints alone, a hundred at most, the worst first", () => {
    const failing = aGate('60', { outcomes: [timeout] });
    const webhooks = Array.from({ length: 120 }, (_, index) => aWebhook(String(index)));
    const sources = sourcesAt(now, [failing], [...webhooks, aWebhook('other', 'active', 'another owner')]);
    const selected = selectedEndpoints({ by: 'owner', id: 'owner' }, sources).map((one) => one.configurationId);
    expect([selected.length, selected[0], selected[1]]).toEqual([100, '60', '0']);
    expect(selectedEndpoints({ by: 'owner', id: 'another owner' }, sources)).toHaveLength(1);
  });

  it.each(['configuration', 'owner'] as const)('of an unknown %s is empty', (by) => {
    expect(selectedEndpoints({ by, id: 'nobody' }, sourcesAt(now, [aGate('one', {})]))).toEqual([]);
  });
});

describe('the endpoints that work', () => {
  it('are listed when deliveries wait for them or are late, the most first, and otherwise counted', () => {
    const gates = [
      aGate('a few', { waiting: 2 }),
      aGate('none', {}),
      aGate('many', { waiting: 9, outcomes: [success] }),
      aGate('fails', { waiting: 99, outcomes: [timeout, timeout, timeout] }),
      aGate('late', { late: 1, waiting: 3 }),
    ];
    const status = endpointsStatus(sourcesAt(now + 2000, gates));
    expect(status).toMatchObject({ circuits: { closed: 4, open: 1, half_open: 0 }, failing: { total: 1 } });
    expect(status.crowded.total).toBe(3);
    expect(status.crowded.first.map(({ configurationId, health }) => `${configurationId}: ${health}`)).toEqual([
      'many: healthy',
      'late: late',
      'a few: healthy',
    ]);
  });
});

describe('the endpoints whose certificates are about to expire', () => {
  it('are listed, the soonest first, also if they work or are not used at present', () => {
    const certificates = {
      endOf: (origin: string) => (origin === 'https://hooks.test:8443' ? bootedAt + 7 : undefined),
      expiring: () =>
        Object.entries({ later: 9, removed: 1, soon: 7 }).map(([webhookId, ms]) => ({
          webhookId,
          ownerId: 'owner',
          validUntil: bootedAt + ms,
        })),
    };
    const sources = { ...sourcesAt(now, [aGate('soon', {})], [aWebhook('soon'), aWebhook('later')]), certificates };
    const { total, first } = endpointsStatus(sources).expiring;
    expect(total).toBe(2);
    expect(first).toMatchObject([
      { configurationId: 'soon', certificateValidUntil: bootedAt + 7 },
      { configurationId: 'later', lastOutcome: undefined },
    ]);
    expect(selectedEndpoints({ by: 'configuration', id: 'soon' }, sources)).toEqual(first.slice(0, 1));
  });
});
