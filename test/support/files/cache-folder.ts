import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where downloads are kept from one run to the next, for all checkouts of this user. */
export function cacheFolder(): string {
  return process.env['LOCAL_KAFKA_CACHE'] ?? join(homedir(), '.cache', 'certificate-webhooks');
}
