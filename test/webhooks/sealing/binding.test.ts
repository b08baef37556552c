import { describe, expect, it } from 'vitest';
import { bindingFor, bindingProblem, type Place } from '../../../src/webhooks/sealing/binding.ts';

const place: Place = { part: 'auth', _id: 'a', url: 'https://hooks.example.com:8443/path?query' };
const binding = { part: 'auth', _id: 'a', origin: 'https://hooks.example.com:8443' };

describe('what a part is sealed for', () => {
  it('is the field, the id and the origin of the url, and not its path', () => {
    expect(bindingFor(place)).toEqual(binding);
  });

  it.each([
    { ...place, _id: 7 },
    { ...place, url: 'nonsense' },
    { ...place, url: undefined },
  ])('is nothing where there is no such place: %j', (nowhere) => {
    expect(bindingFor(nowhere)).toBeUndefined();
  });

  it.each<readonly [string, Place]>([
    ['the same', place],
    ['another path', { ...place, url: 'https://hooks.example.com:8443/other' }],
    ['the same origin, written in another way', { ...place, url: 'HTTPS://HOOKS.example.com:08443' }],
  ])('fits a place that is %s', (_, other) => {
    expect(bindingProblem(binding, other)).toBeUndefined();
  });

  it.each<readonly [string, Place]>([
    ['is sealed for another field', { ...place, part: 'customHeaders' }],
    ['is sealed for another _id', { ...place, _id: 'b' }],
    ['is sealed for a url with another origin', { ...place, url: 'https://hooks.example.com/path' }],
    ['is sealed for a url with another origin', { ...place, url: 'https://hooks.example.com.evil.example:8443/' }],
    ['is sealed for a url with another origin', { ...place, url: undefined }],
    ['is sealed for another field and another _id', { ...place, part: 'customHeaders', _id: undefined }],
  ])('%s when it stands elsewhere: %j', (problem, elsewhere) => {
    expect(bindingProblem(binding, elsewhere)).toBe(problem);
  });

  it('is checked as far as it is there, since others need not say it', () => {
    expect(bindingProblem(undefined, place)).toBeUndefined();
    expect(bindingProblem({ _id: 'a' }, { ...place, part: 'customHeaders' })).toBeUndefined();
    expect(bindingProblem({ _id: 'b' }, place)).toBe('is sealed for another _id');
  });

  it.each([null, 'a', 7, [], { url: 'https://hooks.example.com' }, { ...binding, constructor: 'x' }])(
    'is refused when it says what is not understood: %j',
    (strange) => {
      expect(bindingProblem(strange, place)).toBe("has a header parameter 'webhook' that is not understood");
    },
  );
});
