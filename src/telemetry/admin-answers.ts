/** What the admin server tells, asked anew for each request. */
export interface AdminSources {
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
  /** What has stopped making progress; nothing while all goes well. */
  liveness(): readonly string[];
  /** What is missing before the service does its work; nothing once it does. */
  readiness(): readonly string[];
  /** The endpoints that fail most, without URLs and credentials. */
  endpoints(): readonly unknown[];
}

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AdminRequest {
  readonly method: string;
  /** As the request line has it, query included. */
  readonly target: string;
}

const paths = ['/metrics', '/livez', '/readyz', '/endpoints'] as const;
type Path = (typeof paths)[number];

/** Rejects when a source throws. To a HEAD request the same is said as to a GET. */
export async function answerAdmin({ method, target }: AdminRequest, sources: AdminSources): Promise<AdminAnswer> {
  const path = adminPath(target);
  if (path === undefined) return plain(404, paths.join('\n'));
  if (method !== 'GET' && method !== 'HEAD') {
    const { headers, ...refusal } = plain(405, 'GET and HEAD only');
    return { ...refusal, headers: { ...headers, Allow: 'GET, HEAD' } };
  }
  return answerPath(path, sources);
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

async function answerPath(path: Path, sources: AdminSources): Promise<AdminAnswer> {
  switch (path) {
    case '/metrics':
      return answer(200, sources.metrics.contentType, await sources.metrics.render());
    case '/livez':
      return probe(sources.liveness());
    case '/readyz':
      return probe(sources.readiness());
    case '/endpoints':
      return json(200, sources.endpoints());
  }
}

/** 200 with an empty list, or 503 with what is wrong. */
function probe(findings: readonly string[]): AdminAnswer {
  return json(findings.length === 0 ? 200 : 503, findings);
}

function json(status: number, value: unknown): AdminAnswer {
  return answer(status, 'application/json', `${JSON.stringify(value)}\n`);
}

function plain(status: number, text: string): AdminAnswer {
  return answer(status, 'text/plain; charset=utf-8', `${text}\n`);
}

function answer(status: number, contentType: string, body: string): AdminAnswer {
  return { status, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store' }, body };
}
