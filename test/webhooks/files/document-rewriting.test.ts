import { describe, expect, it } from 'vitest';
import { rewriteText, type Replacement } from '../../../src/webhooks/files/document-rewriting.ts';

const auth: Replacement = { position: 2, field: 'auth', text: 'sealed' };

describe('a file with some fields replaced', () => {
  it('keeps the comments of YAML, and its order', () => {
    const text = [
      '# Ours.',
      '- _id: a # the first',
      '  auth: { authType: none }',
      '- auth:',
      '    authType: bearer_token',
      '    token: x',
      '  # Behind it.',
      '  _id: b',
      '',
    ].join('\n');
    expect(rewriteText('a.yaml', text, [auth])).toEqual({
      kind: 'text',
      text: [
        '# Ours.',
        '- _id: a # the first',
        '  auth: { authType: none }',
        '- auth: sealed',
        '  # Behind it.',
        '  _id: b',
        '',
      ].join('\n'),
    });
  });

  it.each([
    ['{"_id":"a","auth":{}}', '{"_id":"a","auth":"sealed"}\n'],
    ['{\n  "_id": "a",\n  "auth": {}\n}\n', '{\n  "_id": "a",\n  "auth": "sealed"\n}\n'],
    ['{\n\t"_id": "a",\n\t"auth": {}\n}', '{\n\t"_id": "a",\n\t"auth": "sealed"\n}\n'],
    ['{"_id": "a",\n"auth": {}}', '{\n  "_id": "a",\n  "auth": "sealed"\n}\n'],
  ])('keeps the indentation of JSON: %j', (text, rewritten) => {
    expect(rewriteText('a.json', text, [{ ...auth, position: 1 }])).toEqual({ kind: 'text', text: rewritten });
  });

  it.each(['json', 'jsonl', 'yaml'])('keeps the digits of numbers in %s', (extension) => {
    const text = '{"_id":"a","auth":{},"rank":12345678901234567,"share":1.0,"most":1e400}';
    const rewritten = rewriteText(`a.${extension}`, text, [{ ...auth, position: 1 }]);
    expect(rewritten).toMatchObject({ kind: 'text', text: expect.stringMatching(/12345678901234567,.*1\.0,.*1e400/) });
  });

  it.each(['a.jsonl', 'without-extension'])('keeps one configuration a line: %s', (path) => {
    const text = '{"_id": "a", "auth": {}}\n{"_id": "b", "auth": {}}\n';
    const rewritten = '{"_id":"a","auth":{}}\n{"_id":"b","auth":"sealed"}\n';
    expect(rewriteText(path, text, [auth])).toEqual({ kind: 'text', text: rewritten });
  });

  it('is unchanged without replacements', () => {
    const text = '{"_id" :  "a"}';
    expect(rewriteText('a.json', text, [])).toEqual({ kind: 'text', text });
  });

  it('keeps a long text on one line', () => {
    const value = 'x'.repeat(1000);
    const rewritten = rewriteText('a.yml', '_id: a\nauth: {}\n', [{ position: 1, field: 'auth', text: value }]);
    expect(rewritten).toEqual({ kind: 'text', text: `_id: a\nauth: ${value}\n` });
  });

  it.each([
    ['the configuration itself is an alias', '- &a { _id: a, auth: {} }\n- *a\n'],
    [
      'a replaced value has an alias elsewhere',
      '- { _id: a, auth: &auth { token: x } }\n- { _id: b, auth: {} }\n- { auth: *auth }\n',
    ],
  ])('is refused when %s', (_, text) => {
    const replacements = [{ ...auth, position: 1 }, auth];
    expect(rewriteText('a.yaml', text, replacements)).toEqual({
      kind: 'unusable',
      problem: "can't be rewritten: it may use aliases where credentials stand",
    });
  });

  it('has its aliases replaced, too', () => {
    const text = '- { _id: a, auth: &auth { token: x } }\n- { _id: b, auth: *auth }\n';
    const replacements = [{ ...auth, position: 1 }, auth];
    expect(rewriteText('a.yaml', text, replacements)).toEqual({
      kind: 'text',
      text: '- { _id: a, auth: sealed }\n- { _id: b, auth: sealed }\n',
    });
  });
});
