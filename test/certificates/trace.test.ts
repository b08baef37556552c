import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTrace, sampledTraceId, traceIds } from '../../src/certificates/record.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${parentId}-01`;

describe('a traceparent', () => {
  it.each([
    ['of the current version', traceparent],
    ['that is not sampled', `00-${traceId}-${parentId}-00`],
    ['with undefined flags', `00-${traceId}-${parentId}-ff`],
    ['of a later version', `01-${traceId}-${parentId}-01`],
    ['of a later version, with more fields', `cc-${traceId}-${parentId}-01-what-the-future-will-be-like`],
    ['of a later version, with 512 characters', `cc-${traceId}-${parentId}-01-${'x'.repeat(456)}`],
    ['of a later version that ends in its separator', `cc-${traceId}-${parentId}-01-`],
  ])('%s has ids', (_what, text) => {
    expect(traceIds(text)).toEqual({ traceId, parentId });
  });

  it.each([
    ['in upper case', traceparent.toUpperCase()],
    ['with an id in upper case', `00-${traceId.toUpperCase()}-${parentId}-01`],
    ['with a trace id of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['with a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['of the invalid version ff', `ff-${traceId}-${parentId}-01`],
    ['of the current version, with more fields', `${traceparent}-more`],
    ['of a later version, with more text without a separator', `cc-${traceId}-${parentId}-01.more`],
    ['without flags', `00-${traceId}-${parentId}`],
    ['with an id that is too short', `00-${traceId.slice(1)}-${parentId}-01`],
    ['with an id that is too long', `00-${traceId}0-${parentId}-01`],
    ['with a letter that is no hexadecimal digit', `00-${traceId.replace('a', 'g')}-${parentId}-01`],
    ['with a space before it', ` ${traceparent}`],
    ['with a line break at the end', `${traceparent}\n`],
    ['that is empty', ''],
    ['of a later version, with more than 512 characters', `cc-${traceId}-${parentId}-01-${'x'.repeat(457)}`],
  ])('%s is invalid', (_what, text) => {
    expect(traceIds(text)).toBeUndefined();
  });

  it('has the ids from its text, or none', () => {
    const hex = (length: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: length, maxLength: length });
    fc.assert(
      fc.property(hex(2), hex(32), hex(16), hex(2), (version, trace, parent, flags) => {
        const isNone = version === 'ff' || /^0+$/v.test(trace) || /^0+$/v.test(parent);
        const expected = isNone ? undefined : { traceId: trace, parentId: parent };
        expect(traceIds(`${version}-${trace}-${parent}-${flags}`)).toEqual(expected);
      }),
    );
  });
});

describe('the trace id of an exemplar', () => {
  const idOf = (text: string | undefined) => sampledTraceId({ traceparent: text, tracestate: undefined });

  it.each(['01', '03', 'ff'])('is that of a trace with the flags %s', (flags) => {
    expect(idOf(`00-${traceId}-${parentId}-${flags}`)).toBe(traceId);
  });

  it.each(['00', '02', 'fe'])(
    'is missing with the flags %s, because tracing systems do not keep the trace',
    (flags) => {
      expect(idOf(`00-${traceId}-${parentId}-${flags}`)).toBeUndefined();
    },
  );

  it('is missing without a trace', () => {
    expect(idOf(undefined)).toBeUndefined();
  });
});

describe('the trace of a record', () => {
  const headers = (...pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([name, text]) => [name, Buffer.from(text)] as const);

  it('is passed on unchanged', () => {
    const found = readTrace(headers(['tracestate', 'a=1,b=2'], ['traceparent', traceparent]));
    expect(found).toEqual({ traceparent, tracestate: 'a=1,b=2' });
  });

  it('does not exist without a valid traceparent, regardless of the tracestate', () => {
    const none = { traceparent: undefined, tracestate: undefined };
    expect(readTrace(headers(['tracestate', 'a=1'], ['traceparent', 'wrong']))).toEqual(none);
    expect(readTrace(headers(['tracestate', 'a=1']))).toEqual(none);
  });

  it.each([
    ['512 characters', `a=${'x'.repeat(510)}`],
    ['32 members', Array.from({ length: 32 }, (_, index) => `v${index}=1`).join(',')],
  ])('keeps a tracestate of %s', (_what, tracestate) => {
    const found = readTrace(headers(['traceparent', traceparent], ['tracestate', tracestate]));
    expect(found).toEqual({ traceparent, tracestate });
  });

  it.each([
    ['513 characters', `a=${'x'.repeat(511)}`],
    ['33 members', Array.from({ length: 33 }, (_, index) => `v${index}=1`).join(',')],
    ['two megabytes', 'x'.repeat(2_000_000)],
  ])('loses a tracestate of %s, and nothing else', (_what, tracestate) => {
    const found = readTrace(headers(['traceparent', traceparent], ['tracestate', tracestate]));
    expect(found).toEqual({ traceparent, tracestate: undefined });
  });
});
