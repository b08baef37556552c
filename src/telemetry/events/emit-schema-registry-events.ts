import type { SchemaRegistryEvents } from '../../certificates/registry/schemas.ts';
import { oneLine } from '../../lib/one-line.ts';
import type { EventSinks } from './event-sinks.ts';

export function createSchemaRegistryEvents({ logger, metrics, warnSampled }: EventSinks): SchemaRegistryEvents {
  return {
    schemaRegistryFailed({ schemaId, failure: kind, reason, retryInMs }) {
      metrics.schemaRegistryFailures.inc({ kind });
      warnSampled(`schema_registry.failed ${kind}`, {
        event: 'schema_registry.failed',
        kind,
        failure: oneLine(reason),
        schemaId,
        retryInMs,
      });
    },
    schemaUnknown({ schemaId, retryInMs }) {
      metrics.schemaRegistryFailures.inc({ kind: 'unknown_schema' });
      if (retryInMs === undefined) logger.warn({ event: 'schema.given_up', schemaId });
      else warnSampled('schema.unknown', { event: 'schema.unknown', schemaId, retryInMs });
    },
  };
}
