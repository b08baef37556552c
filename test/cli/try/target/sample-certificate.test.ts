import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../../../src/certificates/decoder.ts';
import { eventTypes } from '../../../../src/certificates/certificate.ts';
import { withoutRegistry } from '../../../../src/certificates/framing.ts';
import { createSample, testIdPrefix } from '../../../../src/cli/try/sample.ts';
import { aRecord, json } from '../../../support/builders.ts';
import { readText } from '../../../support/files/sources.ts';

const now = Date.UTC(2026, 10, 1);

describe.each(eventTypes)('the sample of %s', (eventType) => {
  const sample = createSample('the owner', eventType, now);

  it('is a certificate of that event without a missing field', () => {
    const decoder = createDecoder({ eventTypeByTopic: new Map(), framed: withoutRegistry });
    const decoded = decoder.decode(aRecord({ value: json(sample), timestamp: now }), now);
    expect(decoded).toMatchObject({
      kind: 'certificate',
      certificate: { eventType, ownerId: 'the owner', missingFields: [] },
    });
  });

  it('has ids of 24 hexadecimal digits that say that it is a test', () => {
    const lessons = sample['_lessonActiveIds'];
    const ids = [sample._id, sample._userId, sample['_badgeId'], ...(Array.isArray(lessons) ? lessons : [])];
    expect(ids.filter((id) => !/^7e577e577e57[\da-f]{12}$/.test(String(id)))).toEqual([]);
    expect(sample['ruleData']).toMatchObject({ name: 'Test certificate' });
    expect(createSample('the owner', eventType, now)._id).not.toBe(sample._id);
  });
});

it('has a prefix that the pages name', () => {
  for (const page of ['docs/subscribers.md', 'src/cli/command-usages.ts'])
    expect(readText(page)).toContain(testIdPrefix);
});
