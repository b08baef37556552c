import { describe, expect, it } from 'vitest';
import { errorFacts, failureText } from '../../../src/telemetry/events/failure-text.ts';

describe('failureText', () => {
  it.each([
    { error: new TypeError('no brokers'), text: 'TypeError: no brokers' },
    { error: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), text: 'Error: refused (ECONNREFUSED)' },
    { error: Object.assign(new Error('connect E1'), { code: 'E1' }), text: 'Error: connect E1' },
    { error: Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' }), text: 'AggregateError (ETIMEDOUT)' },
    {
      error: new Error('outer', { cause: new RangeError('inner\nline') }),
      text: 'Error: outer: RangeError: inner line',
    },
    { error: 'text', text: 'text' },
    { error: { password: 'hunter2' }, text: 'not an error' },
    { error: undefined, text: '' },
  ])('says "$text"', ({ error, text }) => {
    expect(failureText(error)).toBe(text);
  });

  it('ends for an error that is its own cause', () => {
    const error = new Error('again');
    error.cause = error;
    expect(failureText(error)).toBe('Error: again: Error: again: Error: again');
    expect(JSON.stringify(errorFacts(error))).toContain('frames');
  });
});

describe('errorFacts', () => {
  it('returns the stack frames of an error, and nothing of its message', () => {
    const cause = new SyntaxError('Unexpected token in {"token":"hunter2"}');
    const error = Object.assign(new Error('hunter2\n    at hunter2', { cause }), { code: 'E1', body: 'hunter2' });
    const facts = errorFacts(error);
    expect(facts).toMatchObject({ name: 'Error', code: 'E1', cause: { name: 'SyntaxError' } });
    expect(facts.frames[0]).toContain('failure-text.test.ts');
    expect(JSON.stringify(facts)).not.toContain('hunter2');
  });

  it.each([undefined, null, 'hunter2', { token: 'hunter2' }].map((error) => ({ error })))(
    'returns only the type of $error, which is no error',
    ({ error }) => {
      expect(errorFacts(error)).toEqual({ name: typeof error, frames: [] });
    },
  );
});
