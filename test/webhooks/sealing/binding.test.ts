import { describe, expect, it } from 'vitest';
import { bindingFor, bindingProblem, type PartLocation } from '../../../src/webhooks/sealing/jwe-header.ts';

const location: PartLocation = { part: 'auth', _id: 'a', url: 'https://hooks.example.com:8443/path?query' };
const binding = { part: 'auth', _id: 'a', origin: 'https://hooks.example.com:8443' };

describe('the binding of a sealed part', () => {
  it('holds the field, the id and the origin of the url, without its path', () => {
    expect(bindingFor(location)).toEqual(binding);
  });

  it.each([
    { ...location, _id: 7 },
    { ...location, url: 'nonsense' },
    { ...location, url: undefined },
  ])('is undefined without an id or a valid url: %j', (incomplete) => {
    expect(bindingFor(incomplete)).toBeUndefined();
  });

  it.each<readonly [string, PartLocation]>([
    ['the same', location],
    ['another path', { ...location, url: 'https://hooks.example.com:8443/other' }],
    ['the same origin in other notation', { ...location, url: 'HTTPS://HOOKS.example.com:08443' }],
  ])('fits a location that is %s', (_, other) => {
    expect(bindingProblem(binding, other)).toBeUndefined();
  });

  it.each<readonly [string, PartLocation]>([
    ['is sealed for another field', { ...location, part: 'customHeaders' }],
    ['is sealed for another _id', { ...location, _id: 'b' }],
    ['is sealed for a url with another origin', { ...location, url: 'https://hooks.example.com/path' }],
    ['is sealed for a url with another origin', { ...location, url: 'https://hooks.example.com.evil.example:8443/' }],
    ['is sealed for a url with another origin', { ...location, url: undefined }],
    ['is sealed for another field and another _id', { ...location, part: 'customHeaders', _id: undefined }],
  ])('%s when it was copied elsewhere: %j', (problem, other) => {
    expect(bindingProblem(binding, other)).toBe(problem);
  });

  it('may lack any of its fields, since other programs need not write them', () => {
    expect(bindingProblem(undefined, location)).toBeUndefined();
    expect(bindingProblem({ _id: 'a' }, { ...location, part: 'customHeaders' })).toBeUndefined();
    expect(bindingProblem({ _id: 'b' }, location)).toBe('is sealed for another _id');
  });

  it.each([null, 'a', 7, [], { url: 'https://hooks.example.com' }, { ...binding, constructor: 'x' }])(
    'is refused when it is not understood: %j',
    (unknown) => {
      expect(bindingProblem(unknown, location)).toBe("has a header parameter 'webhook' that is not understood");
    },
  );
});
