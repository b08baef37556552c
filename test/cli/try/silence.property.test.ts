import fc from 'fast-check';
import { expect, it } from 'vitest';
import { identity } from '../../http/client-under-test.ts';
import type { Answer } from '../../support/endpoints/answers.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { host, tryDocument, webhookAt } from './try-environment.ts';

/** Long enough that no line holds one by chance. */
const secret = fc.stringMatching(/^[A-Za-z0-9]{16,40}$/);

const configuration = fc.record({
  auth: fc.oneof(
    fc.record({ authType: fc.constant('bearer_token'), token: secret }),
    fc.record({ authType: fc.constant('basic_auth'), username: secret, password: secret }),
    fc.record({ authType: fc.constant('api_key'), token: secret }),
    fc.record({ authType: fc.constant('custom_header'), headerName: fc.constant('X-Own'), headerValue: secret }),
  ),
  customHeaders: fc.dictionary(fc.stringMatching(/^X-[a-z]{8}$/), secret, { maxKeys: 3 }),
  path: secret,
  query: secret,
});

it('prints no credential, header value, path, query or response, whatever the endpoint sends back', async () => {
  await using endpoint = await startEndpoint({ identity, answers: [echo] });
  await fc.assert(
    fc.asyncProperty(configuration, fc.constantFrom(200, 302, 401, 429, 503), async (generated, status) => {
      const { path, query, auth, customHeaders } = generated;
      const url = `https://${host}:${endpoint.port}/${status}/${path}?${query}`;
      const { out } = await tryDocument(webhookAt(endpoint.port, { url, auth, customHeaders }));
      const { authType: _method, ...credentials } = auth;
      const hidden = [path, query, ...Object.values(credentials), ...Object.values(customHeaders)].filter(
        (value) => value !== 'X-Own',
      );
      expect(hidden.filter((value) => out.some((line) => line.includes(value)))).toEqual([]);
      expect(out.join('\n')).not.toMatch(/Basic|Bearer/);
      expect(out).toContainEqual(`answer: status ${status}`);
    }),
    { numRuns: 40 },
  );
}, 120_000);

/** Answers with the status in the path, and with everything of the request in headers and body. */
const echo: Answer = ({ request, response }) => {
  const status = Number(request.path.split('/')[1]);
  const text = `${request.path} ${request.headers.flat().join(' ')}`;
  response.writeHead(status, text, { 'retry-after': text, location: text, 'x-echo': text }).end(text);
};
