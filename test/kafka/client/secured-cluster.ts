import { createAuthority } from '../../support/tls/authority.ts';
import { setScramPassword } from '../../support/kafka/cluster/kafka-tools.ts';
import type { LocalCluster } from '../../support/kafka/cluster/local-cluster.ts';
import { saslListener, tlsListener } from '../../support/kafka/cluster/security.ts';
import { startLocalCluster } from '../../support/kafka/cluster/start-local-cluster.ts';

/** Issues the certificates of the brokers, and of the clients that use mutual TLS. */
export const authority = createAuthority();

export const user = 'service';
export const plainPassword = 'the-plain-password';
export const scramPassword = 'the-scram-password';
/** Milliseconds after which a connection of SCRAM-SHA-512 must authenticate again. */
const sessionMs = 3_000;

/** Starts a broker with one listener for each authentication method. A listener accepts no other method. */
export async function startSecuredCluster(): Promise<LocalCluster> {
  const identity = authority.issue();
  const cluster = await startLocalCluster({
    listeners: [
      saslListener('PLAIN', { users: { [user]: plainPassword }, identity }),
      saslListener('SCRAM256', { mechanism: 'SCRAM-SHA-256', identity }),
      saslListener('SCRAM512', { mechanism: 'SCRAM-SHA-512', identity, sessionMs }),
      tlsListener('MUTUAL', { identity, clientAuthority: authority.certificate }),
    ],
  });
  for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-512'] as const)
    await setScramPassword(cluster.brokers, { name: user, password: scramPassword, mechanism });
  return cluster;
}
