import type { Environment } from '../../../src/settings.ts';

/** Timeouts that no working endpoint exceeds, however busy the machine. Every platform has them. */
export const longTimeouts: Environment = {
  DELIVERY_CONNECT_TIMEOUT: '60s',
  DELIVERY_TIMEOUT: '90s',
  SHUTDOWN_GRACE: '100s',
};
