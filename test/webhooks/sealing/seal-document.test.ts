import { decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { createOpener, openDocument } from '../../../src/webhooks/sealing/open-document.ts';
import { sealDocument } from '../../../src/webhooks/sealing/seal-document.ts';
import { aConfiguration, type Document } from '../../support/builders.ts';
import { keySet, secretJwk } from '../../support/keys.ts';
import { sealWith } from '../opening.ts';

const [old, fresh] = [keySet(secretJwk('old')), keySet(secretJwk('new'))];
const [newKey] = fresh;

const seal = (document: Document, keys = old): Promise<Document> => sealWith(keys, document);

function kidsOf(sealed: object): readonly unknown[] {
  return Object.values(sealed).map((jwe: unknown) => decodeProtectedHeader(String(jwe)).kid);
}

describe('a configuration', () => {
  it('is unchanged after it is sealed and opened', async () => {
    const sealed = await seal(aConfiguration());
    expect(sealed).toMatchObject({ auth: expect.any(String), customHeaders: expect.any(String) });
    const { document, closed } = await openDocument(sealed, { keys: old, requireSealed: true });
    expect([document, closed]).toEqual([aConfiguration(), {}]);
    // Field order is kept, so the same content has the same bytes and is not a new version.
    expect(JSON.stringify(document)).toBe(JSON.stringify(aConfiguration()));
  });

  it('keeps parts without credentials in clear, and sealed parts as they are', async () => {
    const harmless = aConfiguration({ auth: { authType: 'none' }, customHeaders: {} });
    expect(await seal(harmless)).toEqual(harmless);
    const sealed = await seal(aConfiguration());
    expect(await seal(sealed, fresh)).toEqual(sealed);
  });

  it('is sealed again with another key when its opened form is passed, too', async () => {
    const document = { ...aConfiguration({ auth: { authType: 'none' } }), ...(await seal(aConfiguration())) };
    const opened = await openDocument(document, { keys: old, requireSealed: false });
    if (newKey === undefined) throw new Error('There is a key.');
    const renewed = await sealDocument(document, newKey, opened.document);
    expect(kidsOf(renewed)).toEqual(['new', 'new']);
    const again = await openDocument({ ...document, ...renewed }, { keys: fresh, requireSealed: true });
    expect(again).toEqual({ document: opened.document, closed: {} });
  });

  it.each<readonly [Document, readonly string[]]>([
    [{}, ['auth', 'customHeaders']],
    [{ auth: undefined, customHeaders: undefined }, []],
    [{ auth: { authType: 'none' }, customHeaders: {} }, []],
    [{ auth: { authType: 'unknown', key: 'x' }, customHeaders: {} }, ['auth']],
    [{ auth: {}, customHeaders: { 'X-A': '' } }, ['auth', 'customHeaders']],
    [{ auth: null, customHeaders: [] }, []],
    [{ auth: 7, customHeaders: ['X-A'] }, ['customHeaders']],
  ])('with %j must have %j sealed, where sealing is required', async (overrides, parts) => {
    const document: unknown = JSON.parse(JSON.stringify(aConfiguration(overrides)));
    const { closed } = await openDocument(document, { keys: old, requireSealed: true });
    expect(closed).toEqual(Object.fromEntries(parts.map((part) => [part, { problem: 'must be sealed' }])));
    expect(await openDocument(document, { keys: old, requireSealed: false })).toEqual({ document, closed: {} });
  });

  it('is not opened when its parts were sealed for another id, origin or field', async () => {
    const { auth, customHeaders } = await seal(aConfiguration());
    const closedBy = async (document: Document) => (await createOpener(old, false)(document)).closed;
    const problem = (text: string) => ({ problem: text });
    expect(await closedBy(aConfiguration({ auth, _id: 'b' }))).toMatchObject({
      auth: problem('is sealed for another _id'),
    });
    expect(await closedBy(aConfiguration({ auth, url: 'https://evil.example/' }))).toMatchObject({
      auth: problem('is sealed for a url with another origin'),
    });
    expect(await closedBy(aConfiguration({ auth: customHeaders, customHeaders: auth }))).toMatchObject({
      auth: problem('is sealed for another field'),
      customHeaders: problem('is sealed for another field'),
    });
  });

  it.each([null, 7, 'text', [aConfiguration({ auth: 'a.b.c.d.e' })]])(
    'may be a value other than an object: %j',
    async (document) => {
      expect(await openDocument(document, { keys: old, requireSealed: true })).toEqual({ document, closed: {} });
    },
  );
});
