import type { Authentication } from '../../../src/webhooks/webhook.ts';
import type { ReceivedRequest } from '../endpoints/received-request.ts';
import { schemasOf } from './json-schemas.ts';
import { openApiDocument, statuses } from '../../../docs/generate/openapi.ts';

const document = openApiDocument();
const { parameters, requestBodies, securitySchemes } = document.components;
const schemaProblems = schemasOf(document, '2020-12');

/** Returns what is wrong with a body by the schema of certificates. */
export function certificateProblems(body: unknown): readonly string[] {
  return schemaProblems('#/components/schemas/Certificate', body);
}

/** Returns whether the document names the status. Of the ranges only 2XX counts, because the others allow everything. */
export function isDeclaredAnswer(status: number): boolean {
  return statuses.some((one) => one === String(status) || (one === '2XX' && Math.floor(status / 100) === 2));
}

interface Configured {
  readonly auth: Authentication;
  readonly customHeaders: Readonly<Record<string, string>>;
}

type Request = Pick<ReceivedRequest, 'method' | 'headers' | 'body'>;

/** Returns what is wrong with a request that is to reach a webhook with this configuration. */
export function requestProblems({ method, headers, body }: Request, configured: Configured): readonly string[] {
  const sent = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  return [
    ...(method === 'POST' ? [] : [`${method} is no method of a webhook`]),
    ...Object.entries(parameters).flatMap(([key, { name, required, schema }]) => {
      const text = sent.get(name.toLowerCase());
      if (text === undefined) return required ? [`${name} is missing`] : [];
      const value = 'type' in schema && schema['type'] === 'integer' ? Number(text) : text;
      return schemaProblems(`#/components/parameters/${key}/schema`, value).map((problem) => `${name}${problem}`);
    }),
    ...credentialProblems(sent, configured.auth),
    ...headers.flatMap(([name]) => (isDescribed(name, configured) ? [] : [`${name} is not described`])),
    ...bodyProblems(sent.get('content-type'), body),
  ];
}

const valuePatterns = { bearer: /^Bearer \S+$/, basic: /^Basic [A-Za-z0-9+/]+={0,2}$/ } as const;

function credentialProblems(sent: ReadonlyMap<string, string>, auth: Authentication): readonly string[] {
  if (auth.authType === 'none') return [];
  const scheme = securitySchemes[auth.authType];
  const value = sent.get(credentialName(auth)?.toLowerCase() ?? '');
  if (value === undefined) return [`there is no credential for ${auth.authType}`];
  const isRight = scheme.type === 'apiKey' || valuePatterns[scheme.scheme].test(value);
  return isRight ? [] : [`the credential is none for ${auth.authType}`];
}

/** Returns the header of the security scheme. Its name is a placeholder where the configuration chooses it. */
function credentialName(auth: Authentication): string | undefined {
  if (auth.authType === 'none') return undefined;
  if (auth.authType === 'custom_header') return auth.headerName;
  const scheme = securitySchemes[auth.authType];
  return scheme.type === 'http' ? 'Authorization' : scheme.name;
}

function isDescribed(name: string, { auth, customHeaders }: Configured): boolean {
  const described = [
    'Content-Type',
    ...Object.values(parameters).map((parameter) => parameter.name),
    ...Object.keys(customHeaders),
    credentialName(auth),
  ];
  return described.some((one) => one?.toLowerCase() === name.toLowerCase());
}

function bodyProblems(contentType: string | undefined, body: Buffer): readonly string[] {
  if (contentType === undefined || !(contentType in requestBodies.Certificate.content))
    return ['the content type is not described'];
  return certificateProblems(JSON.parse(body.toString('utf8')));
}
