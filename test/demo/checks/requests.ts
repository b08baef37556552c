import type { ReceivedRequest } from '../../support/endpoints/received-request.ts';
import { attemptsOf, eventsFor } from '../subscribers/subscribers.ts';
import type { Observations, Receipts } from '../scenario/observations.ts';
import type { ProducedCertificate } from '../scenario/production.ts';
import { counted, expectEqual, times, type Check } from './check.ts';

/** Compares the requests with the contract. */
export function checkRequests(observations: Observations): readonly Check[] {
  const { receipts } = observations;
  return [
    ...receipts.map((one) => checkCount(one, observations)),
    ...receipts.map((one) => checkHeaders(one)),
    checkBodies(observations),
    checkTransport(observations),
  ];
}

/** The endpoint gets the expected number of requests for each of its certificates, and no others. */
function checkCount({ subscriber, requests }: Receipts, { produced, names }: Observations): Check {
  const wanted = eventsFor(subscriber, produced);
  const attempts = attemptsOf(subscriber, names.tiers.length);
  const each = attempts === 1 ? 'once each' : `${attempts} times each`;
  const events = subscriber.events.map((event) => event.replace('certificate_', '')).join(' and ');
  return expectEqual(
    `${subscriber.name}: its ${wanted.length} ${events} certificates, ${each}`,
    Object.fromEntries(wanted.map(({ id }) => [id, attempts])),
    counted(requests.map((request) => certificateIn(request))),
  );
}

/** The request has exactly the headers of the contract, written as in the contract. */
function checkHeaders({ subscriber, host, requests }: Receipts): Check {
  const { authentication, authenticationHeader, customHeaders, name } = subscriber;
  const expected = [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'certificate-webhooks'],
    ['content-length', 'the length of the body'],
    ['host', host],
    ['connection', 'keep-alive'],
    ...(authenticationHeader === undefined ? [] : [authenticationHeader]),
    ...Object.entries(customHeaders),
  ];
  const named = [authentication.authType, ...Object.keys(customHeaders)].join(', ');
  return expectEqual(
    `${name}: headers are those of ${named}`,
    times(requests.length, headerText(expected)),
    counted(requests.map((request) => headerText(request.headers.map((header) => comparable(header, request))))),
  );
}

/** Ignores the case of header names that the HTTP client adds. */
function comparable([name, value]: readonly [string, string], { body }: ReceivedRequest): readonly [string, string] {
  const lower = name.toLowerCase();
  if (lower === 'content-length') return [lower, value === String(body.length) ? 'the length of the body' : value];
  return lower === 'host' || lower === 'connection' ? [lower, value] : [name, value];
}

function headerText(headers: readonly (readonly string[])[]): string {
  return headers
    .map(([name, value]) => `${name}: ${value}`)
    .toSorted()
    .join('; ');
}

function checkBodies({ receipts, produced }: Observations): Check {
  const bodies = new Map(produced.map(({ id, body }) => [id, body]));
  const requests = receipts.flatMap((one) => one.requests);
  const differing = requests.filter((request) => bodies.get(certificateIn(request))?.equals(request.body) !== true);
  return expectEqual(
    `${requests.length} bodies are their records' values, byte for byte`,
    [],
    differing.map(({ body }) => body.toString('utf8')),
  );
}

function checkTransport({ receipts }: Observations): Check {
  const requests = receipts.flatMap((one) => one.requests);
  return expectEqual(
    'every request is a POST over TLS 1.2 or higher',
    [],
    requests
      .map(({ method, tls }) => `${method} over ${tls.version}`)
      .filter((text) => !/^POST over TLSv1\.[23]$/.test(text)),
  );
}

/** Returns the certificate id, or an empty text for a body without one. */
export function certificateIn({ body }: Pick<ReceivedRequest | ProducedCertificate, 'body'>): string {
  return /"_id": ?"([^"]+)"/.exec(body.toString('utf8'))?.[1] ?? '';
}
