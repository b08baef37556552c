import { expect, it } from 'vitest';
import { someEvents } from '../support/events.ts';

it('counts the clients that were disconnected at a limit, and names one in the log', async () => {
  const { events, lines, moved } = someEvents('warn');
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
    events.adminConnectionClosed({ limit: 'connections', address });
  events.adminConnectionClosed({ limit: 'head_bytes', address: '192.0.2.1' });
  expect(lines()).toMatchObject([
    { event: 'admin.connection_closed', limit: 'connections', address: '192.0.2.1' },
    { event: 'admin.connection_closed', limit: 'head_bytes', address: '192.0.2.1' },
  ]);
  expect(await moved()).toEqual({
    'admin_connections_closed_total{limit="connections"}': 3,
    'admin_connections_closed_total{limit="head_bytes"}': 1,
  });
});
