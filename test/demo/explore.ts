import { randomInt } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Answer } from '../support/endpoints/answers.ts';
import type { DemoEnvironment } from './environment/environment.ts';
import { print, styled } from './print.ts';
import { produceTo } from './scenario/production.ts';
import { certificateEvent, owners } from './subscribers/certificates.ts';
import { answerOf } from './subscribers/endpoints.ts';

const path = '/certificates';
const owner = owners.harbour;

/** Prints what can be explored, and each request from now on. Sends a certificate on Enter. Resolves once the user ends it. */
export async function explore(environment: DemoEnvironment, signal: AbortSignal): Promise<void> {
  const { brokers, names, endpoints, service } = environment;
  for (const { subscriber, endpoint } of endpoints) {
    endpoint.script(path, printing(subscriber.name, answerOf(subscriber.behaviour)));
  }
  const facts = [
    ['status page', `${service.url}/`],
    ...['metrics', 'readyz', 'endpoints'].map((page) => [page, `${service.url}/${page}`]),
    ['brokers', brokers.join(',')],
    ['topics', `${names.prefix}.*`],
    ...endpoints.map(({ subscriber, endpoint }) => [subscriber.name, endpoint.url(path)]),
    ['owner of Harbour', owner.id],
  ];
  print('', styled('bold', 'Everything keeps running until Ctrl-C. Enter sends a certificate to Harbour.'));
  print(...facts.map(([title = '', text]) => `  ${title.padEnd(22)}${text}`), '');
  try {
    await service.whileRunning(sendOnEnter(environment, signal));
  } catch (error) {
    // An abort is the expected end; anything else means that the service has ended.
    if (!signal.aborted) throw error;
  }
}

/** Prints the request as it came: request line, headers, body. */
function printing(name: string, answer: Answer): Answer {
  return (exchange) => {
    const { method, path: target, headers, body } = exchange.request;
    const lines = [...headers.map(([header, value]) => `${header}: ${value}`), '', ...String(body).split('\n')];
    print(`${name} received ${method} ${target}`, ...lines.map((line) => `  ${line}`.trimEnd()), '');
    answer(exchange);
  };
}

/** Sends a certificate for each line. Never resolves: the input may end before the service does. */
async function sendOnEnter({ kafka, names }: DemoEnvironment, signal: AbortSignal): Promise<never> {
  using lines = createInterface({ input: process.stdin, signal });
  for await (const _ of lines) {
    const event = certificateEvent(owner, 'certificate_completed', randomInt(2 ** 31));
    const [place] = await produceTo(kafka, names.completed, [event]);
    print(`certificate ${event.id} is at ${place?.topic}/${place?.partition}/${place?.offset}`);
  }
  return await Promise.withResolvers<never>().promise;
}
