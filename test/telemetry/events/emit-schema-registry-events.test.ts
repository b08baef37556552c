import { expect, it } from 'vitest';
import { someEvents } from '../support/events.ts';

it('counts each failed request to the registry, and samples the warnings', async () => {
  const { events, lines, moved } = someEvents();
  const failed = { schemaId: 7, failure: 'unreachable', reason: 'connect ECONNREFUSED\n', retryInMs: 500 } as const;
  events.schemaRegistryFailed(failed);
  events.schemaRegistryFailed({ ...failed, schemaId: 8 });
  events.schemaRegistryFailed({ ...failed, failure: 'refused', reason: 'it answers 401' });
  const line = { level: 'warn', event: 'schema_registry.failed', schemaId: 7, retryInMs: 500 };
  expect(lines()).toEqual([
    { ...line, kind: 'unreachable', failure: 'connect ECONNREFUSED' },
    { ...line, kind: 'refused', failure: 'it answers 401' },
  ]);
  expect(await moved()).toEqual({
    'schema_registry_failures_total{kind="unreachable"}': 2,
    'schema_registry_failures_total{kind="refused"}': 1,
  });
});

it('warns of an unknown schema, and again when it is given up', async () => {
  const { events, lines, moved } = someEvents();
  events.schemaUnknown({ schemaId: 7, retryInMs: 500 });
  events.schemaUnknown({ schemaId: 7, retryInMs: 1000 });
  events.schemaUnknown({ schemaId: 7, retryInMs: undefined });
  expect(lines()).toEqual([
    { level: 'warn', event: 'schema.unknown', schemaId: 7, retryInMs: 500 },
    { level: 'warn', event: 'schema.given_up', schemaId: 7 },
  ]);
  expect(await moved()).toEqual({ 'schema_registry_failures_total{kind="unknown_schema"}': 3 });
});
