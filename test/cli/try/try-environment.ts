import type { Environment } from '../../../src/settings.ts';
import { tryWebhook } from '../../../src/cli/try/run-try.ts';
import { aConfiguration, type Document } from '../../support/builders.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { settingsFrom } from '../../support/service/default-settings.ts';
import { configurationFrom } from '../../support/service/parsed-configuration.ts';
import { longTimeouts } from '../../support/service/long-timeouts.ts';
import { authority } from '../../http/client-under-test.ts';
import { startDnsServer, type Zone } from '../../http/dns/dns-server.ts';

/** The name of a webhook's host. The name server leads it to this machine. */
export const host = 'a.test';

interface TryEnvironment {
  readonly environment?: Environment;
  readonly zone?: Zone;
  readonly signal?: AbortSignal;
  readonly conformance?: boolean;
}

interface Tried {
  readonly code: 0 | 1;
  readonly out: readonly string[];
}

/** Tries the webhook of a document, with real sockets and a name server of the test. */
export async function tryDocument(
  document: Document,
  { environment = {}, zone = { [host]: { a: ['127.0.0.1'] } }, signal, conformance = false }: TryEnvironment = {},
): Promise<Tried> {
  await using dns = await startDnsServer(zone);
  await using files = await writeTemporaryFiles({ 'authority.pem': authority.certificate });
  const settings = await settingsFrom({
    DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
    DELIVERY_ALLOWED_PORTS: '1-65535',
    DELIVERY_CA_FILE: files.path('authority.pem'),
    ...longTimeouts,
    ...environment,
  });
  const out: string[] = [];
  const code = await tryWebhook(
    { kind: 'found', id: String(document['_id']), configuration: configurationFrom(document) },
    {
      command: { target: { kind: 'id', id: '' }, eventType: undefined, conformance },
      settings,
      terminal: { out: (line) => out.push(line), signal: signal ?? new AbortController().signal },
      findServers: () => [dns.address],
    },
  );
  return { code, out };
}

/** Tries a webhook at a port of this machine. */
export function tryPort(port: number, options: TryEnvironment = {}): Promise<Tried> {
  return tryDocument(webhookAt(port), options);
}

export function webhookAt(port: number, overrides: Document = {}): Document {
  return aConfiguration({ url: `https://${host}:${port}/private/path?place=hidden`, ...overrides });
}
