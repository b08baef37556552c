import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Environment } from '../../src/settings.ts';
import { knownNames } from '../../src/settings/variables.ts';
import { root } from '../support/files/sources.ts';
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
  const { brokers, names, endpoints, service, variables } = environment;
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
  print(styled('bold', 'Paste this into a second terminal. certificate-webhooks then works there as on the pages.'));
  print(settingsLine({ ...variables, ENDPOINTS_OF: new URL(service.url).host }), '');
  try {
    await service.whileRunning(sendOnEnter(environment, signal));
  } catch (error) {
    // An abort is the expected end; anything else means that the service has ended.
    if (!signal.aborted) throw error;
  }
}

/** Returns a line for a shell: the settings of the service, and the name under which the pages call its commands. */
function settingsLine(variables: Environment): string {
  const settings = Object.entries(variables).filter(
    ([name, value]) => knownNames.includes(name) && value !== undefined,
  );
  const words = settings.map(([name, value = '']) => `${name}=${quoted(value)}`);
  const program = [process.execPath, join(root, 'src/main.ts')].map(quoted).join(' ');
  return `export ${words.join(' ')}; alias certificate-webhooks=${quoted(program)}`;
}

function quoted(text: string): string {
  return /^[\w.,:=/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
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
