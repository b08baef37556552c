import type { EndpointStatus } from '../../deliveries/gates/endpoint-status.ts';
import { contentSecurityPolicy, statusPage } from './status/page.ts';
import type { Status } from './status/status.ts';

/** What the admin server tells, asked anew for each request. */
export interface AdminSources {
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
  /** What has stopped making progress; nothing while all goes well. */
  liveness(): readonly string[];
  /** What is missing before the service does its work; nothing once it does. */
  readiness(): readonly string[];
  /** The endpoints that fail most. */
  endpoints(): readonly EndpointStatus[];
  status(): Status;
}

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface AdminRequest {
  readonly method: string;
  /** As the request line has it, query included. */
  readonly target: string;
}

const paths = ['/', '/metrics', '/livez', '/readyz', '/endpoints'] as const;
type Path = (typeof paths)[number];

/** Rejects when a source throws. To a HEAD request the same is said as to a GET. */
export async function answerAdmin({ method, target }: AdminRequest, sources: AdminSources): Promise<AdminAnswer> {
  const path = adminPath(target);
  if (path === undefined) return plain(404, paths.join('\n'));
  if (method !== 'GET' && method !== 'HEAD') {
    return plain(405, 'GET and HEAD only', { Allow: 'GET, HEAD' });
  }
  switch (path) {
    case '/':
      return page(sources.status(), target);
    case '/metrics':
      return answer(200, sources.metrics.contentType, await sources.metrics.render());
    case '/livez':
      return probe(sources.liveness());
    case '/readyz':
      return probe(sources.readiness());
    case '/endpoints':
      return json(200, sources.endpoints().map(endpointJson));
  }
}

/** Undefined when there is nothing there. */
export function adminPath(target: string): Path | undefined {
  const [asked] = target.split('?', 1);
  return paths.find((path) => path === asked);
}

/** What it says when a source throws. */
export function failedAnswer(): AdminAnswer {
  return plain(500, 'failed; the log says why');
}

function page(status: Status, target: string): AdminAnswer {
  const isRefreshed = target === '/?refresh';
  const policy = { 'Content-Security-Policy': contentSecurityPolicy(), 'Referrer-Policy': 'no-referrer' };
  return answer(200, 'text/html; charset=utf-8', statusPage(status, { isRefreshed }), policy);
}

/** 200 with an empty list, or 503 with what is wrong. */
function probe(findings: readonly string[]): AdminAnswer {
  return json(findings.length === 0 ? 200 : 503, findings);
}

/** Times as ISO 8601; what is not known is not there. */
function endpointJson(endpoint: EndpointStatus): unknown {
  const { openUntil, lastOutcomeAt } = endpoint;
  return { ...endpoint, openUntil: isoTime(openUntil), lastOutcomeAt: isoTime(lastOutcomeAt) };
}

function isoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

function json(status: number, value: unknown): AdminAnswer {
  return answer(status, 'application/json', `${JSON.stringify(value)}\n`);
}

function plain(status: number, text: string, headers: AdminAnswer['headers'] = {}): AdminAnswer {
  return answer(status, 'text/plain; charset=utf-8', `${text}\n`, headers);
}

function answer(status: number, contentType: string, body: string, headers: AdminAnswer['headers'] = {}): AdminAnswer {
  const always = { 'Content-Type': contentType, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  return { status, headers: { ...always, ...headers }, body };
}
