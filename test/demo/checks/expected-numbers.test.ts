import { expect, it } from 'vitest';
import { owners } from '../subscribers/owners.ts';
import { certificateEvent } from '../subscribers/certificates.ts';
import { subscribers } from '../subscribers/subscribers.ts';
import { delays, namesFor } from '../environment/service-environment.ts';
import type { ProducedCertificate } from '../scenario/production.ts';
import { expectedNumbers } from './expected-numbers.ts';

const names = namesFor('demo');

function produced(
  owner: keyof typeof owners,
  event: 'certificate_completed' | 'certificate_expired',
): ProducedCertificate {
  return { ...certificateEvent(owners[owner], event, 1), topic: 'certificates', partition: 0, offset: 0 };
}

function numbersFor(...events: readonly ProducedCertificate[]): ReturnType<typeof expectedNumbers> {
  return expectedNumbers(subscribers, { produced: events, names, delays });
}

it('expects one attempt of a webhook that works', () => {
  expect(numbersFor(produced('harbour', 'certificate_completed'))).toEqual({
    consumed: { '{topic="certificates"}': 1 },
    settled: { '{result="delivered",topic="certificates"}': 1 },
    attempts: { '{attempt="first",outcome="delivered",status_class="2xx"}': 1 },
    scheduled: {},
    deadLetters: {},
  });
});

it('expects no attempt for an event that no webhook asks for', () => {
  expect(numbersFor(produced('northern', 'certificate_expired'))).toMatchObject({
    settled: { '{result="unclaimed",topic="certificates"}': 1 },
    attempts: {},
  });
});

it('expects a record in two tiers for a webhook that fails twice', () => {
  expect(numbersFor(produced('summit', 'certificate_completed'))).toEqual({
    consumed: { '{topic="certificates"}': 1, '{topic="demo.retry.1s"}': 1, '{topic="demo.retry.2s"}': 1 },
    settled: {
      '{result="retried",topic="certificates"}': 1,
      '{result="retried",topic="demo.retry.1s"}': 1,
      '{result="delivered",topic="demo.retry.2s"}': 1,
    },
    attempts: {
      '{attempt="first",outcome="delivered",status_class="2xx"}': 1,
      '{attempt="first",outcome="http_error",status_class="5xx"}': 1,
      '{attempt="retry",outcome="http_error",status_class="5xx"}': 1,
      '{attempt="retry",outcome="delivered",status_class="2xx"}': 1,
    },
    scheduled: { '{tier="1s"}': 1, '{tier="2s"}': 1 },
    deadLetters: {},
  });
});

it('expects a dead letter after the last tier of a webhook that always fails', () => {
  expect(numbersFor(produced('sandbox', 'certificate_completed'))).toMatchObject({
    settled: { '{result="dead_lettered",topic="demo.retry.3s"}': 1 },
    scheduled: { '{tier="1s"}': 1, '{tier="2s"}': 1, '{tier="3s"}': 1 },
    deadLetters: { '{reason="exhausted"}': 1 },
  });
});
