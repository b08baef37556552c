import { setPriority } from 'node:os';
import type { Identity } from '../../../support/tls/authority.ts';
import { handshakeFloods, httpFloods, tlsFloods } from '../floods.ts';

export type EndpointPorts = readonly { readonly name: string; readonly port: number }[];

/** The least priority for the processor. Hostile endpoints would not run on the machine of the service. */
setPriority(19);

/** Ends with the process that started it. */
process.on('disconnect', () => process.exit());
process.once('message', (identity: Identity) => void start(identity));

async function start(identity: Identity): Promise<void> {
  const hostile = [...httpFloods.filter(({ isExcess }) => isExcess), ...tlsFloods, ...handshakeFloods];
  const started = await Promise.all(
    hostile.map(async (one) => ({ name: one.name, endpoint: await one.start(identity) })),
  );
  const ports: EndpointPorts = started.map(({ name, endpoint }) => ({ name, port: endpoint.port }));
  process.send?.(ports);
}
