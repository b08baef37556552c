import type { Environment } from '../../../src/settings.ts';
import type { LocalCluster } from '../../support/kafka/cluster/local-cluster.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { mountSecret, type SecretFiles } from '../../support/files/mounted-secret.ts';
import { webhookAt, startPlatform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { aCertificateDocument } from '../../support/builders.ts';
import { authority } from './secured-cluster.ts';

interface CredentialFix {
  readonly listener: string;
  /** Makes the `wrong` files wrong once the service runs with them. Without this they are wrong from the start. */
  readonly invalidate?: () => Promise<void>;
  /** Settings besides those of TLS. `path` returns the path of a mounted file. */
  readonly environment: (path: (name: string) => string) => Environment;
  readonly wrong: SecretFiles;
  readonly right: SecretFiles;
}

interface FixedService {
  /** The `remedy` of its `kafka.unreachable` line. */
  readonly remedy: unknown;
  readonly readiness: { readonly status: number; readonly body: unknown };
  /** Requests that reached the endpoint after the fix. */
  readonly delivered: number;
  readonly output: string;
}

/** Runs the service with wrong files, replaces them once it has logged the failure, and lets it deliver a certificate. */
export async function fixCredentials(cluster: LocalCluster, fix: CredentialFix): Promise<FixedService> {
  const { listener, environment, invalidate, wrong, right } = fix;
  await using platform = await startPlatform({ brokers: cluster.brokers });
  await using secret = await mountSecret({ ...wrong, 'ca.pem': authority.certificate });
  const port = await findFreePorts(1);
  await platform.configure(webhookAt(platform, '/hook'));
  await using service = new ServiceProcess({
    ...platform.environment,
    KAFKA_BROKERS: cluster.addressesOf(listener).join(),
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: secret.path('ca.pem'),
    ...environment((name) => secret.path(name)),
    HTTP_PORT: String(port),
    LOG_LEVEL: 'trace',
    // A refused consumer cannot leave its group, which waits this long for it.
    KAFKA_SESSION_TIMEOUT: '6s',
  });
  if (invalidate !== undefined) {
    await service.logged('service.started');
    await invalidate();
  }
  const [unreachable] = await service.logged('kafka.unreachable');
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
  const readiness = { status: response.status, body: await response.json() };
  await secret.replace({ ...right, 'ca.pem': authority.certificate });
  await service.logged('credentials.reloaded');
  await service.logged('service.started');
  await platform.complete(aCertificateDocument());
  const delivered = await platform.endpoint.received(1);
  const output = [...service.output, ...service.errors].join('\n');
  return { remedy: unreachable?.['remedy'], readiness, delivered: delivered.length, output };
}
