import { describe, expect, it } from 'vitest';
import { validateRecord } from '../../src/certificates/certificate-schema.ts';
import { settle } from '../../src/deliveries/settle.ts';
import { identity } from '../http/client-under-test.ts';
import { aCertificateDocument, aDelivery } from '../support/builders.ts';
import { contractText } from '../../docs/generate/contract-text.ts';
import { findingsIn } from '../support/contracts/findings.ts';
import { certificateProblems } from '../support/contracts/openapi-checks.ts';
import { openApiDocument, openApiPath, statuses } from '../../docs/generate/openapi.ts';
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
