import { describe, expect, it } from 'vitest';
import { declaredEvent, eventTypeByExpiry } from '../../src/certificates/decoder.ts';
import { aRecord } from '../support/builders.ts';

describe('declaredEvent', () => {
  it.each([
    { headers: {}, declared: 'undeclared' },
    { headers: { 'event-type': 'certificate_completed' }, declared: 'certificate_completed' },
    { headers: { ce_type: 'certificate_expired' }, declared: 'certificate_expired' },
    { headers: { 'event-type': '', ce_type: 'certificate_expired' }, declared: 'certificate_expired' },
    { headers: { 'event-type': '', ce_type: '' }, declared: 'undeclared' },
    { headers: { 'event-type': 'certificate_completed', ce_type: 'badge_awarded' }, declared: 'certificate_completed' },
    { headers: { 'event-type': 'badge_awarded', ce_type: 'certificate_completed' }, declared: 'other' },
    { headers: { 'event-type': 'Certificate_Completed' }, declared: 'other' },
    { headers: { 'content-type': 'application/json' }, declared: 'undeclared' },
  ] as const)('reads $headers of a mixed topic as $declared', ({ headers, declared }) => {
    expect(declaredEvent(undefined, aRecord({ headers }).headers)).toBe(declared);
  });

  it('uses the last of several headers with the same name', () => {
    const { headers } = aRecord({
      headers: [
        ['event-type', Buffer.from('certificate_completed')],
        ['event-type', Buffer.from('certificate_expired')],
      ],
    });
    expect(declaredEvent(undefined, headers)).toBe('certificate_expired');
  });

  it('returns the event type of the topic if that has one', () => {
    const { headers } = aRecord({ headers: { 'event-type': 'badge_awarded' } });
    expect(declaredEvent('certificate_completed', headers)).toBe('certificate_completed');
  });
});

describe('eventTypeByExpiry', () => {
  it.each([
    { expiresAt: undefined, eventType: 'certificate_completed' },
    { expiresAt: 999, eventType: 'certificate_expired' },
    { expiresAt: 1000, eventType: 'certificate_completed' },
    { expiresAt: 1001, eventType: 'certificate_completed' },
  ])('at 1000 is $eventType for an expiry of $expiresAt', ({ expiresAt, eventType }) => {
    expect(eventTypeByExpiry(expiresAt, 1000)).toBe(eventType);
  });
});
