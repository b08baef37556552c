import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../../src/certificates/decoder.ts';
import { createConfigurationParser } from '../../../src/webhooks/configuration-schema.ts';
import { CertificatePlan } from '../../../src/deliveries/plan.ts';
import { readEnvelope, retryHeaders } from '../../../src/kafka/records/envelope.ts';
import { aCertificateDocument, aConfiguration, aRecord } from '../../support/builders.ts';

const { decode } = createDecoder({ eventTypeByTopic: new Map() });
const parseConfiguration = createConfigurationParser({ isAllowedPort: () => true, mostInFlight: 16 });
const now = Date.UTC(2026, 2, 14);

/** Any sequence of UTF-16 code units, often with half a surrogate pair, some of them too long. */
const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'é', '\u{1d11e}', '\uFEFF', '\uFFFD', '\uD800', '\uDC00', '\0', '\n', ' ') }),
  fc.string({ unit: 'binary', maxLength: 400, size: 'max' }),
  fc.string({ unit: fc.constantFrom('x', 'é', '\uD83D'), minLength: 500, maxLength: 1100 }),
);

describe('the ids of a delivery', () => {
  it('are the same after a retry as before it, for every id that is accepted', () => {
    fc.assert(
      fc.property(texts, texts, texts, (ownerId, certificateId, webhookId) => {
        const configuration = parseConfiguration(webhookId, aConfiguration({ _id: webhookId, _ownerId: ownerId }));
        const document = aCertificateDocument({ _id: certificateId, _ownerId: ownerId });
        const record = aRecord({ value: document });
        const decoded = decode(record, now);
        if (configuration.kind !== 'accepted' || decoded.kind !== 'certificate') return;
        const webhook = {
          id: webhookId,
          ownerId,
          state: 'active',
          wants: () => true,
          endpoint: () => configuration.configuration.endpoint,
        } as const;
        const { certificate } = decoded;
        const delivery = new CertificatePlan({ record, certificate, webhooks: [webhook], now }).next();
        if (delivery === undefined) throw new TypeError('no delivery was planned');
        const retry = aRecord({ key: delivery.key, value: delivery.body, headers: retryHeaders(delivery, now) });
        const envelope = readEnvelope(retry);
        expect(envelope).toMatchObject({
          kind: 'delivery',
          delivery: {
            ownerId: configuration.configuration.ownerId,
            webhookId,
            certificateId,
            deliveryId: delivery.deliveryId,
          },
        });
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['_id', '507f\uD800'],
    ['_ownerId', 'o\uD800'],
    ['_userId', '\uDC00'],
  ])('make the record invalid before any attempt when %s has half a surrogate pair', (field, id) => {
    expect(decode(aRecord({ value: aCertificateDocument({ [field]: id }) }), now)).toEqual({
      kind: 'rejected',
      rejection: {
        reason: 'invalid_record',
        message: `${field} must be well-formed Unicode, without half a surrogate pair`,
      },
    });
  });
});
