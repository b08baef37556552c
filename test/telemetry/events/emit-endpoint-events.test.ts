import { describe, expect, it } from 'vitest';
import { someEvents } from '../support/events.ts';

describe('a circuit', () => {
  it('is counted by its new state, and logged: opened as a warning, probed at debug level', async () => {
    const { events, lines, moved } = someEvents();
    events.circuitChanged({ webhookId: 'w', from: 'closed', to: 'open' });
    events.circuitChanged({ webhookId: 'w', from: 'open', to: 'half_open' });
    events.circuitChanged({ webhookId: 'w', from: 'half_open', to: 'closed' });
    expect(lines()).toEqual([
      { level: 'warn', event: 'circuit.opened', configurationId: 'w', from: 'closed' },
      { level: 'info', event: 'circuit.closed', configurationId: 'w', from: 'half_open' },
    ]);
    expect(await moved()).toEqual({
      'circuit_transitions_total{circuit="open"}': 1,
      'circuit_transitions_total{circuit="half_open"}': 1,
      'circuit_transitions_total{circuit="closed"}': 1,
    });
  });

  it('that opens with many others shares one warning per half minute, with the number held back', async () => {
    const { events, clock, lines } = someEvents();
    for (let webhook = 0; webhook < 100; webhook += 1) {
      events.circuitChanged({ webhookId: `w${webhook}`, from: 'closed', to: 'open' });
    }
    await clock.advance(30_000);
    events.circuitChanged({ webhookId: 'late', from: 'closed', to: 'open' });
    expect(lines()).toMatchObject([{ configurationId: 'w0' }, { configurationId: 'late', heldBack: 99 }]);
  });
});

it('warns of a certificate that is about to expire', () => {
  const { events, lines } = someEvents();
  const validUntil = Date.UTC(2026, 11, 18, 8, 30);
  for (const webhookId of ['w', 'another']) events.certificateExpiring({ webhookId, ownerId: 'o', validUntil });
  const line = { level: 'warn', event: 'endpoint.certificate_expiring', configurationId: 'w', ownerId: 'o' };
  expect(lines()).toEqual([{ ...line, validUntil: '2026-12-18T08:30:00.000Z' }]);
});

it('counts connections that were opened or cut, and addresses that were left out, without a line', async () => {
  const { events, lines, moved } = someEvents();
  for (const resumed of [true, false, false]) events.connectionOpened({ resumed });
  events.connectionCut({ limit: 'bytes' });
  events.handshakeUnanswered({ end: 'silence' });
  events.addressesDropped({ count: 3984 });
  expect(lines()).toEqual([]);
  expect(await moved()).toEqual({
    'connections_opened_total{resumed="true"}': 1,
    'connections_opened_total{resumed="false"}': 2,
    'connections_cut_total{limit="bytes"}': 1,
    'handshakes_unanswered_total{end="silence"}': 1,
    dns_addresses_dropped_total: 3984,
  });
});

it('logs that the proxy enforces the policy on addresses', async () => {
  const { events, lines, moved } = someEvents();
  events.egressDelegated({ proxy: 'http://proxy:3128' });
  const policy = expect.stringContaining('the proxy');
  expect(lines()).toEqual([{ level: 'info', event: 'egress.delegated', proxy: 'http://proxy:3128', policy }]);
  expect(await moved()).toEqual({});
});
