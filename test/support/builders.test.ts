import { expect, it } from 'vitest';
import { aCertificateDocument, aDelivery, aRecord, json } from './builders.ts';

it('builds a certificate of a realistic size', () => {
  const { length } = json(aCertificateDocument());
  expect(length).toBeGreaterThan(600);
  expect(length).toBeLessThan(700);
});

it('leaves out a field that is set to undefined', () => {
  expect(json(aCertificateDocument({ __v: undefined })).toString()).not.toContain('__v');
});

it('writes a document as JSON, and takes bytes and null unchanged', () => {
  expect(aRecord({ value: { _id: '1' } }).value?.toString()).toBe('{"_id":"1"}');
  expect(aRecord({ value: Buffer.of(0, 1) }).value).toEqual(Buffer.of(0, 1));
  expect(aRecord({ value: null, key: null })).toMatchObject({ value: null, key: null });
});

it('builds the delivery id from the source and the webhook', () => {
  const source = { topic: 't', partition: 3, offset: 7, timestamp: undefined };
  expect(aDelivery({ source, webhookId: 'w' }).deliveryId).toBe('t/3/7/w');
});
