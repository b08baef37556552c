import { expect, it } from 'vitest';
import { someEvents } from '../support/events.ts';

it('warns of a refused configuration with every problem', () => {
  const { events, lines } = someEvents();
  events.configurationRefused({ id: 'w', ownerId: 'o', problems: ['url is not https', 'events\nis empty'] });
  const problems = ['url is not https', 'events is empty'];
  expect(lines()).toEqual([
    { level: 'warn', event: 'configuration.refused', configurationId: 'w', ownerId: 'o', problems },
  ]);
});

it('cuts off the id of a refused configuration whose key is longer than any id', () => {
  const { events, lines } = someEvents();
  events.configurationRefused({ id: 'x'.repeat(1_000_000), ownerId: undefined, problems: [] });
  expect(lines()).toMatchObject([{ configurationId: 'x'.repeat(1024) }]);
});

it('warns that configurations or keys could not be reloaded, and counts it', async () => {
  const { events, lines, moved } = someEvents();
  events.configurationReloadFailed({ path: '/etc/webhooks.yaml', reason: 'not YAML\nat line 3' });
  expect(lines()).toEqual([
    { level: 'warn', event: 'configurations.reload_failed', path: '/etc/webhooks.yaml', failure: 'not YAML at line 3' },
  ]);
  expect(await moved()).toEqual({ configuration_reload_failures_total: 1 });
});
