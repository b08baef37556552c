import type { ReceivedRequest } from '../../support/endpoints/received-request.ts';
import { attemptsOf } from '../subscribers/subscribers.ts';
import type { Evidence, Receipts } from '../scenario/observations.ts';
import { wantedBy } from '../scenario/expectation.ts';
import type { Produced } from '../scenario/production.ts';
import { counted, expectEqual, times, type Check } from './check.ts';

/** What came over the wire, against the contract. */
export function checkRequests(evidence: Evidence): readonly Check[] {
  const { receipts } = evidence;
  return [
    ...receipts.map((one) => checkCount(one, evidence)),
    ...receipts.map((one) => checkHeaders(one)),
    checkRepeats(evidence),
    checkBodies(evidence),
    checkTransport(evidence),
  ];
}

/** Of each certificate, exactly as many requests as the endpoint's behaviour calls for; of others none. */
function checkCount({ subscriber, requests }: Receipts, { produced, names }: Evidence): Check {
  const wanted = wantedBy(subscriber, produced);
  const attempts = attemptsOf(subscriber, names.tiers.length);
  const each = attempts === 1 ? 'once each' : `${attempts} times each`;
  const events = subscriber.events.map((event) => event.replace('certificate_', '')).join(' and ');
  return expectEqual(
    `${subscriber.name}: its ${wanted.length} ${events} certificates, ${each}`,
    Object.fromEntries(wanted.map(({ id }) => [id, attempts])),
    counted(requests.map((request) => certificateIn(request))),
  );
}

/** The unit of retry is the delivery: other webhooks of the same owner do not notice. */
function checkRepeats({ receipts, produced, names }: Evidence): Check {
  const failing = receipts.filter(({ subscriber }) => subscriber.behaviour !== 'works');
  const expected = failing.map(({ subscriber }): readonly [string, number] => {
    const repeats = attemptsOf(subscriber, names.tiers.length) - 1;
    return [subscriber.name, repeats * wantedBy(subscriber, produced).length];
  });
  const repeated = receipts.map(({ subscriber, requests }) => {
    const certificates = new Set(requests.map((request) => certificateIn(request)));
    return [subscriber.name, requests.length - certificates.size] as const;
  });
  return expectEqual(
    'retries reached the webhooks that had failed, and nobody else',
    Object.fromEntries(expected),
    Object.fromEntries(repeated.filter(([, repeats]) => repeats !== 0)),
  );
}

/** As the contract has it: what it names, as it is written there, and nothing else. */
function checkHeaders({ subscriber, host, requests }: Receipts): Check {
  const { authentication, authenticationHeader, customHeaders, name } = subscriber;
  const expected = [
    ['Content-Type', 'application/json'],
    ['content-length', 'that of the body'],
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

/** HTTP leaves the case of names open; of what the service adds by itself it is not compared. */
function comparable([name, value]: readonly [string, string], { body }: ReceivedRequest): readonly [string, string] {
  const lower = name.toLowerCase();
  if (lower === 'content-length') return [lower, value === String(body.length) ? 'that of the body' : value];
  return lower === 'host' || lower === 'connection' ? [lower, value] : [name, value];
}

function headerText(headers: readonly (readonly string[])[]): string {
  return headers
    .map(([name, value]) => `${name}: ${value}`)
    .toSorted()
    .join('; ');
}

function checkBodies({ receipts, produced }: Evidence): Check {
  const bodies = new Map(produced.map(({ id, body }) => [id, body]));
  const requests = receipts.flatMap((one) => one.requests);
  const differing = requests.filter((request) => bodies.get(certificateIn(request))?.equals(request.body) !== true);
  return expectEqual(
    `${requests.length} bodies are their records' values, byte for byte`,
    [],
    differing.map(({ body }) => body.toString('utf8')),
  );
}

function checkTransport({ receipts }: Evidence): Check {
  const requests = receipts.flatMap((one) => one.requests);
  return expectEqual(
    'every request is a POST over TLS 1.2 or higher',
    [],
    requests
      .map(({ method, tls }) => `${method} over ${tls.version}`)
      .filter((text) => !/^POST over TLSv1\.[23]$/.test(text)),
  );
}

/** Empty for a body that is none of ours. */
export function certificateIn({ body }: Pick<ReceivedRequest | Produced, 'body'>): string {
  return /"_id": ?"([^"]+)"/.exec(body.toString('utf8'))?.[1] ?? '';
}
