import { startEndpoint } from '../../../../support/endpoints/endpoint.ts';
import type { Identity } from '../../../../support/tls/authority.ts';
import { handshakeFloods, httpFloods, tlsFloods } from '../floods.ts';

/** The endpoints that one process of a soak runs: the hostile ones, or a healthy one. */
export type SoakPorts = readonly { readonly name: string; readonly port: number }[];

/** Ends with the process that started it. */
process.on('disconnect', () => process.exit());
process.once('message', (identity: Identity) => void start(identity));

async function start(identity: Identity): Promise<void> {
  const healthy = { name: 'healthy', start: () => startEndpoint({ identity }) };
  const hostile = [...httpFloods.filter(({ isExcess }) => isExcess), ...tlsFloods, ...handshakeFloods];
  const chosen = process.argv[2] === 'healthy' ? [healthy] : hostile;
  const started = await Promise.all(
    chosen.map(async (one) => ({ name: one.name, endpoint: await one.start(identity) })),
  );
  const ports: SoakPorts = started.map(({ name, endpoint }) => ({ name, port: endpoint.port }));
  process.send?.(ports);
}
