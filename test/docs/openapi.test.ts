import { describe, expect, it } from 'vitest';
import { validateRecord } from '../../src/certificates/certificate-schema.ts';
import { settle } from '../../src/deliveries/settle.ts';
import { identity } from '../deliveries/http/client-under-test.ts';
import { aCertificateDocument, aDelivery, authentications, json } from '../support/builders.ts';
import { contractText } from '../support/contracts/contract-text.ts';
import { findingsIn } from '../support/contracts/findings.ts';
import { certificateProblems, isDeclaredAnswer, requestProblems } from '../support/contracts/openapi-checks.ts';
import { openApiDocument, openApiPath, statuses } from '../support/contracts/openapi.ts';
import { retryAfter } from '../support/endpoints/answers.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';
import { readText } from '../support/files/sources.ts';
import { Sender } from './support/sender.ts';

const document = openApiDocument();
const completed = aCertificateDocument();

describe('the OpenAPI document', () => {
  it('matches the code; `npm run docs` writes it again', async () => {
    expect(readText(openApiPath)).toBe(await contractText(openApiPath, document));
  });

  it('has no finding of the linter', async () => {
    expect(await findingsIn(readText(openApiPath))).toEqual([]);
  });

  it.each([
    ['an unknown type', 'type: boolean', 'type: flag', 'struct'],
    ['a reference to nothing', "$ref: '#/components/schemas/Failure'", "$ref: '#/nothing'", 'no-unresolved-refs'],
    ['an example that the schema refuses', 'disabled: false', "disabled: 'no'", 'no-invalid-media-type-examples'],
    ['a scheme that is not there', '- api_key: []', '- api_keys: []', 'security-defined'],
  ])('has a finding of the linter if it holds %s', async (_what, right, wrong, rule) => {
    const text = readText(openApiPath);
    expect(text).toContain(right);
    expect(await findingsIn(text.replace(right, wrong))).toContainEqual(expect.stringContaining(rule));
  });

  it.each(statuses)('says what follows the answer %s', async (status) => {
    await using endpoint = await startEndpoint({ identity, answers: [Number(status.replace('XX', '10'))] });
    await using sender = new Sender(endpoint);
    const outcome = await sender.deliver(completed);
    const settlement = settle(aDelivery(), outcome, { delaysMs: [1000], maxAgeMs: 60_000 }, aDelivery().plannedAt);
    expect(settlement.kind).toBe(document.components.responses[status]?.['x-settlement']);
  });

  it.each(Object.values(document.components.headers.RetryAfter.examples))(
    'gives a Retry-After that is understood: $value',
    async ({ value }) => {
      await using endpoint = await startEndpoint({ identity, answers: [retryAfter(503, value)] });
      await using sender = new Sender(endpoint);
      expect(await sender.deliver(completed)).toMatchObject({ retryAfterMs: expect.any(Number) });
    },
  );

  it.each([
    [200, true],
    [204, true],
    [429, true],
    [405, false],
    [302, false],
  ])('names the answer %i: %s', (status, isNamed) => {
    expect(isDeclaredAnswer(status)).toBe(isNamed);
  });
});

describe('the schema of certificates', () => {
  it.each([
    ['a complete certificate', completed],
    ['one that does not expire', { ...completed, expires: null }],
    ['the three ids alone', { _id: '1', _userId: '2', _ownerId: '3' }],
    ['unknown fields', { ...completed, more: [1] }],
    ['no owner', { ...completed, _ownerId: undefined }],
    ['an empty id', { ...completed, _id: '' }],
    ['an id that is a number', { ...completed, _userId: 7 }],
    ['a date that is a number', { ...completed, expires: 1_700_000_000 }],
    ['a date in words', { ...completed, createdAt: 'yesterday' }],
    ['a date that is null', { ...completed, creationDate: null }],
    ['a flag in words', { ...completed, disabled: 'no' }],
    ['a lesson that is a number', { ...completed, _lessonActiveIds: [1] }],
    ['rules in a list', { ...completed, ruleData: [] }],
    ['a version in words', { ...completed, __v: '0' }],
    ['no object', [completed]],
  ])('agrees with the service about %s', (_what, body) => {
    const written: unknown = JSON.parse(JSON.stringify(body));
    expect(certificateProblems(written).length === 0).toBe(validateRecord(written).kind === 'valid');
  });
});

describe('a request as the document describes it', () => {
  const headers = [
    ['host', 'hooks.example.com'],
    ['connection', 'keep-alive'],
    ['Content-Type', 'application/json'],
    ['Authorization', 'Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA'],
    ['content-length', '640'],
  ] as const;
  const right = { method: 'POST', headers, body: json(completed) };
  const configured = { auth: authentications.bearer_token, customHeaders: {} };
  const without = (name: string) => headers.filter(([one]) => one !== name);

  it('has no problem', () => {
    expect(requestProblems(right, configured)).toEqual([]);
  });

  it.each([
    ['another method', { ...right, method: 'PUT' }, 'PUT is no method'],
    ['no length', { ...right, headers: without('content-length') }, 'Content-Length is missing'],
    ['a length in words', { ...right, headers: [...without('content-length'), ['Content-Length', 'x']] }, 'integer'],
    ['another type', { ...right, headers: [...without('Content-Type'), ['Content-Type', 'text/plain']] }, 'type'],
    ['no credential', { ...right, headers: without('Authorization') }, 'no credential for bearer_token'],
    [
      'the credential of Basic',
      { ...right, headers: [...without('Authorization'), ['Authorization', 'Basic eA==']] },
      'none',
    ],
    [
      'a header of its own',
      { ...right, headers: [...headers, ['X-Request-Id', '1']] },
      'X-Request-Id is not described',
    ],
    ['a certificate without an owner', { ...right, body: json({ ...completed, _ownerId: undefined }) }, '_ownerId'],
  ] as const)('has none of %s', (_what, request, problem) => {
    expect(requestProblems(request, configured).join()).toContain(problem);
  });

  it('has no credential that the configuration does not have', () => {
    const none = { ...configured, auth: authentications.none };
    expect(requestProblems(right, none)).toEqual(['Authorization is not described']);
  });
});
