import { status } from '../support/endpoints/answers.ts';
import type { Authority } from '../support/tls/authority.ts';
import { startEndpoint, type Endpoint } from '../support/endpoints/endpoint.ts';
import type { ReceivedRequest } from '../support/endpoints/received-request.ts';

/** Starts an HTTPS server on a free port. It prints each request and answers 200. */
export async function startReceiver(authority: Authority, print: (line: string) => void): Promise<Endpoint> {
  return startEndpoint({
    identity: authority.issue(),
    answers: [
      (exchange) => {
        for (const line of requestLines(exchange.request)) print(line);
        status(200)(exchange);
      },
    ],
  });
}

/** Returns the request as it came: request line, headers, body. */
function requestLines({ method, path, headers, body }: ReceivedRequest): readonly string[] {
  const content = [...headers.map(([name, value]) => `${name}: ${value}`), '', ...body.toString('utf8').split('\n')];
  return [`received ${method} ${path}`, ...content.map((line) => `  ${line}`.trimEnd()), 'answered 200', ''];
}
