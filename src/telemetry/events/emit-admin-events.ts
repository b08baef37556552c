import type { AdminServerEvents } from '../admin/admin-server.ts';
import type { EventSinks } from './event-sinks.ts';
import { errorFacts } from './failure-text.ts';

export function createAdminEvents({ logger, metrics, warnSampled }: EventSinks): AdminServerEvents {
  return {
    adminFailed({ path, error }) {
      logger.error({ event: 'admin.failed', path, error: errorFacts(error) });
    },
    adminConnectionClosed({ limit, address }) {
      metrics.adminConnectionsClosed.inc({ limit });
      warnSampled(`admin.connection_closed ${limit}`, { event: 'admin.connection_closed', limit, address });
    },
  };
}
