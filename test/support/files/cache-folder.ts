import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the folder for downloads, which all checkouts of this user share. */
export function cacheFolder(): string {
  return process.env['LOCAL_KAFKA_CACHE'] ?? join(homedir(), '.cache', 'certificate-webhooks');
}
