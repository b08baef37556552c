import type { EndpointSelection, EndpointStatus } from '../../flow/endpoint-status.ts';
import { printableLines } from '../../lib/printable.ts';
import { acceptedFormat, contentTypes, type MetricsFormat } from '../metrics/metrics.ts';
import { contentSecurityPolicy, statusPage } from './status/page.ts';
import type { Status } from './status/status.ts';

/** The sources of the admin server's answers. They are read again for each request. */
export interface AdminSources {
  readonly instance: string;
  readonly metrics: { render(format: MetricsFormat): Promise<string> };
  /** Returns the components that have stopped making progress. Empty means alive. */
  liveness(): readonly string[];
  readiness(): readonly string[];
  /**
   * Returns the selected endpoints. Without a selection, returns those with the most failures, and others with the most
   * waiting deliveries. Returns undefined while the configurations to select from are not read yet.
   */
  endpoints(selection: EndpointSelection | undefined): readonly EndpointStatus[] | undefined;
  status(): Status;
}

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface AdminRequest {
  readonly method: string;
  /** The target of the request line, with its query. */
  readonly target: string;
  readonly accept?: string | undefined;
}

const paths = ['/', '/metrics', '/livez', '/readyz', '/endpoints'] as const;
type Path = (typeof paths)[number];

/** Answers a request. HEAD gets the answer of GET. Rejects if a source throws. */
export async function answerAdmin(request: AdminRequest, sources: AdminSources): Promise<AdminAnswer> {
  const { method, target } = request;
  const path = adminPath(target);
  if (path === undefined) return plain(404, paths.join('\n'));
  if (method !== 'GET' && method !== 'HEAD') {
    return plain(405, 'GET and HEAD only', { Allow: 'GET, HEAD' });
  }
  switch (path) {
    case '/':
      return page(sources.status(), target);
    case '/metrics': {
      const format = acceptedFormat(request.accept);
      return answer(200, contentTypes[format], await sources.metrics.render(format));
    }
    case '/livez':
      return probe(sources.liveness());
    case '/readyz':
      return probe(sources.readiness());
    case '/endpoints':
      return endpointsAnswer(target, sources);
  }
}

/** Returns the path of a target, without its query. Undefined if the server has no such path. */
export function adminPath(target: string): Path | undefined {
  const [requested] = target.split('?', 1);
  return paths.find((path) => path === requested);
}

/** Returns false for a request whose answer is small, such as a probe. */
export function isExpensive(target: string): boolean {
  const path = adminPath(target);
  return path === '/' || path === '/metrics' || path === '/endpoints';
}

/** The answer if a source throws. */
export function failedAnswer(): AdminAnswer {
  return plain(500, 'failed; the log says why');
}

function page(status: Status, target: string): AdminAnswer {
  const isRefreshed = target === '/?refresh';
  const policy = { 'Content-Security-Policy': contentSecurityPolicy(), 'Referrer-Policy': 'no-referrer' };
  return answer(200, 'text/html; charset=utf-8', statusPage(status, { isRefreshed }), policy);
}

/** Answers 200 with an empty list, or 503 with the findings. */
function probe(findings: readonly string[]): AdminAnswer {
  return json(findings.length === 0 ? 200 : 503, findings);
}

function endpointsAnswer(target: string, sources: AdminSources): AdminAnswer {
  const selection = selectionOf(target);
  if (selection === 'invalid') return plain(400, 'expected one parameter at most: configuration=ID or owner=ID');
  const endpoints = sources.endpoints(selection);
  if (endpoints === undefined) return plain(503, 'the webhook configurations are not read yet');
  const listed = endpoints.map((endpoint) => endpointJson(endpoint, sources.instance));
  return json(200, listed);
}

/** Returns the selection that the query of a target makes; undefined if it has none. */
function selectionOf(target: string): EndpointSelection | undefined | 'invalid' {
  const [first, ...others] = new URLSearchParams(target.replace(/^[^?]*/, ''));
  if (first === undefined) return undefined;
  const [by, id] = first;
  const isValid = others.length === 0 && id !== '';
  return isValid && (by === 'configuration' || by === 'owner') ? { by, id } : 'invalid';
}

/** Formats times as ISO 8601. `JSON.stringify` omits unknown values. */
function endpointJson(endpoint: EndpointStatus, instance: string): unknown {
  const { openUntil, failingSince, lastOutcomeAt, certificateValidUntil } = endpoint;
  return {
    instance,
    ...endpoint,
    openUntil: isoTime(openUntil),
    failingSince: isoTime(failingSince),
    lastOutcomeAt: isoTime(lastOutcomeAt),
    certificateValidUntil: isoTime(certificateValidUntil),
  };
}

function isoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

function json(status: number, value: unknown): AdminAnswer {
  return answer(status, 'application/json', printableLines(`${JSON.stringify(value)}\n`));
}

function plain(status: number, text: string, headers: AdminAnswer['headers'] = {}): AdminAnswer {
  return answer(status, 'text/plain; charset=utf-8', `${text}\n`, headers);
}

function answer(status: number, contentType: string, body: string, headers: AdminAnswer['headers'] = {}): AdminAnswer {
  const always = { 'Content-Type': contentType, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  return { status, headers: { ...always, ...headers }, body };
}
