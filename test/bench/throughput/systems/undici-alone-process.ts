/** The limit of sending: undici posts the same bodies from memory to the same endpoints, and does nothing else. */
import { Agent } from 'undici';
import { addressOf } from '../../endpoints.ts';
import { certificateOf, ownersOf, type CertificateSet } from '../certificates.ts';
import { endpointsOf, type Subscribers } from '../subscribers.ts';

export interface UndiciSetup {
  readonly certificates: CertificateSet;
  readonly subscribers: Subscribers;
  /** Requests at a time. */
  readonly inFlight: number;
  readonly authority: string;
  /** The URL of the first endpoint. The others differ in their address. */
  readonly url: string;
}

const setup = JSON.parse(process.argv[2] ?? '{}') as UndiciSetup;
const { port, pathname: path } = new URL(setup.url);
const headers = {
  'content-type': 'application/json',
  'user-agent': 'benchmark',
  authorization: 'Bearer a-token-of-usual-length-0123456789',
  'x-environment': 'production',
};
const posts = [...ownersOf(setup.certificates)].flatMap((owner, number) => {
  const body = certificateOf(number, owner);
  return endpointsOf(owner, setup.subscribers).map((endpoint) => ({
    origin: `https://${addressOf(endpoint)}:${port}`,
    body,
  }));
});
const agent = new Agent({ connect: { ca: setup.authority } });
let next = 0;

await Promise.all(Array.from({ length: setup.inFlight }, postInTurn));

async function postInTurn(): Promise<void> {
  for (let post = posts[next]; post !== undefined; post = posts[next]) {
    next += 1;
    const { body } = await agent.request({ ...post, path, method: 'POST', headers });
    await body.dump();
  }
}
