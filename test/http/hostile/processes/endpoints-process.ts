import { setPriority } from 'node:os';
import { later, status, type Answer } from '../../../support/endpoints/answers.ts';
import { startEndpoint } from '../../../support/endpoints/endpoint.ts';
import type { Identity } from '../../../support/tls/authority.ts';
import { handshakeFloods, httpFloods, tlsFloods } from '../floods.ts';

/** The endpoints that one process runs: the hostile ones, or a healthy one. */
export type EndpointPorts = readonly { readonly name: string; readonly port: number }[];

/** The least priority for the processor. Hostile endpoints would not run on the machine of the service. */
const leastPriority = 19;

/** Ends with the process that started it. */
process.on('disconnect', () => process.exit());
process.once('message', (identity: Identity) => void start(identity));

async function start(identity: Identity): Promise<void> {
  const healthy = { name: 'healthy', start: () => startEndpoint({ identity, answers: [createPromptAnswer()] }) };
  const hostile = [...httpFloods.filter(({ isExcess }) => isExcess), ...tlsFloods, ...handshakeFloods];
  const isHealthy = process.argv[2] === 'healthy';
  if (!isHealthy) setPriority(leastPriority);
  const started = await Promise.all(
    (isHealthy ? [healthy] : hostile).map(async (one) => ({ name: one.name, endpoint: await one.start(identity) })),
  );
  const ports: EndpointPorts = started.map(({ name, endpoint }) => ({ name, port: endpoint.port }));
  process.send?.(ports);
}

/** Answers between 20 and 80 ms later, as a receiver across the internet does. */
function createPromptAnswer(): Answer {
  let answered = 0;
  return (exchange) => later(20 + ((answered++ * 37) % 61), status(200))(exchange);
}
