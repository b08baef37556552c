import { Schemas } from '../../../src/certificates/registry/schemas.ts';
import type { FramedValues } from '../../../src/certificates/framing.ts';
import type { Events } from '../../../src/telemetry/events/events.ts';
import { BrokerError } from '../broker/errors.ts';
import type { BrokerConnection } from '../broker/broker-connection.ts';

/** The error of a registry that does not know the schema, or not yet. */
export const unknownSchema = 'UNKNOWN_SCHEMA';

/** Creates a process's client of a schema registry that has a JSON schema for each id. */
export function connectRegistry(connection: BrokerConnection, events: Events): FramedValues {
  return new Schemas({
    find: () =>
      connection
        .request(
          { kind: 'schema' },
          () => ({ kind: 'found', found: { type: 'JSON', text: '{}', references: [] } }) as const,
        )
        .catch((error: unknown) =>
          error instanceof BrokerError
            ? ({ kind: 'unknown' } as const)
            : ({ kind: 'failed', failure: 'unreachable', reason: 'the connection was closed' } as const),
        ),
    events,
    clock: connection.clock,
  });
}
