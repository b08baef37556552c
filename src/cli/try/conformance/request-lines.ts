import type { PreparedRequest } from '../../../deliveries/request.ts';
import type { SampleCertificate } from '../target/sample-certificate.ts';
import type { Receiver } from './receiver.ts';
import { answers, describe, isAccepted, judge, type Verdict } from './judgement.ts';
import type { Authentication } from '../../../webhooks/webhook.ts';

const refusesCredential = answers(401, 403);
/** 400 is the status of the contract. Frameworks also have a status for the type and one for the content. */
const refusesContent = answers(400, 415, 422);

/** The size of a large body. Receivers are told to take 1 MiB; the headers and the encoding have room in the rest. */
const largeBytes = 900_000;
/** The most certificates that are sent at once. The service sends 16 by default. */
const mostAtOnce = 10;

export async function playRight(receiver: Receiver): Promise<Verdict> {
  return judge([await receiver.send(receiver.request(receiver.sample()))], isAccepted);
}

export async function playRepeat(receiver: Receiver): Promise<Verdict> {
  const request = receiver.request(receiver.sample());
  return judge(await receiver.sendInTurn([request, request]), isAccepted);
}

export async function playBothEvents(receiver: Receiver): Promise<Verdict> {
  const { events } = receiver.options.webhook.configuration;
  if (events.length < 2) return { kind: 'skipped', saw: `the webhook wants ${events.join()} alone` };
  const completed = receiver.sample('certificate_completed');
  const { _id, _userId } = completed;
  const expired = { ...receiver.sample('certificate_expired'), _id, _userId };
  const requests = [
    receiver.request(completed, { eventType: 'certificate_completed' }),
    receiver.request(expired, { eventType: 'certificate_expired' }),
  ];
  return judge(await receiver.sendInTurn(requests), isAccepted);
}

export async function playWrongCredentials(receiver: Receiver): Promise<Verdict> {
  if (receiver.authentication.authType === 'none') return withoutCredential;
  const requests = wrongCredentials(receiver.authentication).map((authentication) =>
    receiver.request(receiver.sample(), { authentication }),
  );
  return judge(await receiver.sendInTurn(requests), refusesCredential);
}

export async function playNoCredential(receiver: Receiver): Promise<Verdict> {
  if (receiver.authentication.authType === 'none') return withoutCredential;
  const request = receiver.request(receiver.sample(), { authentication: { authType: 'none' } });
  return judge([await receiver.send(request)], refusesCredential);
}

const withoutCredential: Verdict = { kind: 'skipped', saw: 'the authType of the webhook is none' };

export async function playContentType(receiver: Receiver): Promise<Verdict> {
  const request = receiver.request(receiver.sample(), { contentType: 'text/plain' });
  return judge([await receiver.send(request)], refusesContent);
}

export async function playBrokenJson(receiver: Receiver): Promise<Verdict> {
  const right = receiver.request(receiver.sample());
  const body = right.body.subarray(0, right.body.length / 2);
  return judge([await receiver.send({ ...right, body })], refusesContent);
}

export async function playMissingIds(receiver: Receiver): Promise<Verdict> {
  const withoutId = (name: string) => ({ ...receiver.sample(), [name]: undefined });
  const bodies = ['_id', '_userId', '_ownerId'].map(withoutId);
  return judge(await sendBodies(receiver, bodies), refusesContent);
}

export async function playLargeBody(receiver: Receiver): Promise<Verdict> {
  const sample = receiver.sample();
  const lesson = sample._userId;
  // Each has quotes and a comma.
  const count = Math.ceil(largeBytes / (lesson.length + 3));
  const large = { ...sample, _lessonActiveIds: Array.from({ length: count }, () => lesson) };
  return judge(await sendBodies(receiver, [large]), isAccepted);
}

export async function playUnknownFields(receiver: Receiver): Promise<Verdict> {
  const sample = receiver.sample();
  const ruleData = { ...Object(sample['ruleData']), unknownField: [1] };
  return judge(await sendBodies(receiver, [{ ...sample, unknownField: { deep: true }, ruleData }]), isAccepted);
}

export async function playFewFields(receiver: Receiver): Promise<Verdict> {
  const { _id, _userId, _ownerId } = receiver.sample();
  return judge(await sendBodies(receiver, [{ _id, _userId, _ownerId }]), isAccepted);
}

/**
 * The first ten open the connections, so that the copies arrive together. 429 is a right answer to many requests. Fewer are
 * sent if the service would not send ten at once.
 */
export async function playTwins(receiver: Receiver): Promise<Verdict> {
  const { settings, webhook } = receiver.options;
  const { inFlight = mostAtOnce } = webhook.configuration.limits ?? {};
  const atOnce = Math.min(mostAtOnce, inFlight, settings.delivery.maxInFlightPerEndpoint);
  if (atOnce === 1) return { kind: 'skipped', saw: 'the webhook gets one request at once' };
  const different = await sendAtOnce(
    receiver,
    Array.from({ length: atOnce }, () => receiver.request(receiver.sample())),
  );
  await receiver.becomesIdle(atOnce);
  const copy = receiver.request(receiver.sample());
  const copies = await sendAtOnce(
    receiver,
    Array.from({ length: atOnce }, () => copy),
  );
  const outcomes = [...different, ...copies];
  const busy = answers(429);
  const { kind } = judge(outcomes, (outcome) => isAccepted(outcome) || busy(outcome));
  return { kind: outcomes.some(isAccepted) ? kind : 'fault', saw: `${describe(outcomes)}, ${atOnce} at once` };
}

async function sendAtOnce(receiver: Receiver, requests: readonly PreparedRequest[]) {
  return Promise.all(requests.map(async (request) => receiver.send(request)));
}

async function sendBodies(receiver: Receiver, documents: readonly Readonly<Record<string, unknown>>[]) {
  const sample: SampleCertificate = receiver.sample();
  return receiver.sendInTurn(
    documents.map((document) => receiver.request(sample, { body: Buffer.from(JSON.stringify(document), 'utf8') })),
  );
}

/**
 * Returns credentials that differ from the right one in their last character, in a missing one and in a further one. The last
 * two find receivers that compare beginnings.
 */
function wrongCredentials(right: Authentication): readonly Authentication[] {
  switch (right.authType) {
    case 'none':
      return [];
    case 'bearer_token':
    case 'api_key': {
      const { authType } = right;
      return nearly(right.token).map((token) => ({ authType, token }));
    }
    case 'basic_auth': {
      const { authType, username } = right;
      return nearly(right.password).map((password) => ({ authType, username, password }));
    }
    case 'custom_header': {
      const { authType, headerName } = right;
      return nearly(right.headerValue).map((headerValue) => ({ authType, headerName, headerValue }));
    }
  }
}

/** Leaves out texts that differ in spaces at an end alone, because those do not count in a header. */
function nearly(right: string): readonly string[] {
  const shorter = right.slice(0, -1);
  const texts = [`${shorter}${right.endsWith('x') ? 'y' : 'x'}`, shorter, `${right}x`];
  return texts.filter((text) => text !== '' && text.trim() !== right.trim());
}
