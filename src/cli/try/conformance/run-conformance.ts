import type { RequestOutcome } from '../../../deliveries/outcome.ts';
import type { Authentication } from '../../../webhooks/webhook.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { playCut, playHalves, playReuse } from './connection-lines.ts';
import { answers, describe, isAccepted, judge, type Verdict, Receiver, type ReceiverOptions } from './receiver.ts';

/** Plays all lines at a receiver, and prints each as it ends. Returns exit code 0 if it has no fault. */
export async function runConformance(options: ReceiverOptions, { out }: Pick<Terminal, 'out'>): Promise<0 | 1> {
  await using receiver = new Receiver(options);
  const verdicts: Verdict[] = [];
  for (const [name, { expects, play }] of Object.entries(conformanceLines)) {
    const isPointless = verdicts[0]?.kind === 'fault';
    const verdict = isPointless ? skipped('a right request is not accepted') : await play(receiver);
    verdicts.push(verdict);
    const expected = verdict.kind === 'fault' ? `; expected ${expects}` : '';
    out(`${marks[verdict.kind]}  ${name.padEnd(nameWidth)}  ${verdict.saw}${expected}`);
  }
  const count = (kind: Verdict['kind']): number => verdicts.filter((verdict) => verdict.kind === kind).length;
  out(`${count('ok')} ok, ${count('fault')} with a fault, ${count('skipped')} skipped`);
  out("Whether a repeat was stored twice can't be seen from here: look for two rows of one test certificate.");
  return count('fault') === 0 ? 0 : 1;
}

const refusesCredential = answers(401, 403);
/** 400 is the status of the contract. Frameworks also have a status for the type and one for the content. */
const refusesContent = answers(400, 415, 422);

/** The size of a large body. Receivers are told to take 1 MiB; the headers and the encoding have room in the rest. */
const largeBytes = 900_000;
/** The most certificates that are sent at once. The service sends 16 by default. */
const mostAtOnce = 10;

/** One line of the table in `docs/subscribers.md`. A test compares them. */
interface ConformanceLine {
  readonly sends: string;
  readonly expects: string;
  readonly play: (receiver: Receiver) => Promise<Verdict>;
}

/** All lines by their names, in their order. Each has certificates of its own. Without the first one, the others say nothing. */
export const conformanceLines: Readonly<Record<string, ConformanceLine>> = {
  'right request': {
    sends: 'a certificate',
    expects: '2xx',
    play: async (receiver) => judge([await receiver.sendSample()], isAccepted),
  },
  repeat: {
    sends: 'a certificate twice',
    expects: '2xx both times',
    play: async (receiver) => {
      const request = receiver.request(receiver.sample());
      return judge(await receiver.sendInTurn([request, request]), isAccepted);
    },
  },
  'both events': {
    sends: 'a certificate, and the same `_id` as expired',
    expects: '2xx both times',
    play: playBothEvents,
  },
  'wrong credential': {
    sends: 'the credential with its last character changed, missing, and doubled by another one',
    expects: '401 (or 403)',
    play: (receiver) => playCredentials(receiver, wrongCredentials(receiver.authentication)),
  },
  'no credential': {
    sends: 'no credential',
    expects: '401 (or 403)',
    play: (receiver) => playCredentials(receiver, [{ authType: 'none' }]),
  },
  'content type': {
    sends: '`Content-Type: text/plain`',
    expects: '400 (or 415, 422)',
    play: async (receiver) => judge([await receiver.sendSample({ contentType: 'text/plain' })], refusesContent),
  },
  'broken JSON': {
    sends: 'the first half of a body, as a whole one',
    expects: '400 (or 415, 422)',
    play: async (receiver) => {
      const right = receiver.request(receiver.sample());
      const body = right.body.subarray(0, right.body.length / 2);
      return judge([await receiver.send({ ...right, body })], refusesContent);
    },
  },
  'missing ids': {
    sends: 'bodies without `_id`, without `_userId`, and without `_ownerId`',
    expects: '400 (or 415, 422)',
    play: async (receiver) => {
      const withoutId = (name: string) => ({ ...receiver.sample(), [name]: undefined });
      return judge(await sendBodies(receiver, ['_id', '_userId', '_ownerId'].map(withoutId)), refusesContent);
    },
  },
  'large body': {
    sends: 'a body of 900 KB',
    expects: '2xx',
    play: async (receiver) => {
      const sample = receiver.sample();
      const lesson = sample._userId;
      // Each has quotes and a comma.
      const count = Math.ceil(largeBytes / (lesson.length + 3));
      const _lessonActiveIds = Array.from({ length: count }, () => lesson);
      return judge(await sendBodies(receiver, [{ ...sample, _lessonActiveIds }]), isAccepted);
    },
  },
  'unknown fields': {
    sends: 'fields that this page does not name',
    expects: '2xx',
    play: async (receiver) => {
      const sample = receiver.sample();
      const ruleData = { ...Object(sample['ruleData']), unknownField: [1] };
      const body = { ...sample, unknownField: { deep: true }, ruleData };
      return judge(await sendBodies(receiver, [body]), isAccepted);
    },
  },
  'few fields': {
    sends: 'a body with the three ids alone',
    expects: '2xx',
    play: async (receiver) => {
      const { _id, _userId, _ownerId } = receiver.sample();
      return judge(await sendBodies(receiver, [{ _id, _userId, _ownerId }]), isAccepted);
    },
  },
  'ten at once': {
    sends: 'ten certificates at once, then ten copies of one certificate at once',
    expects: '2xx (or 429, not for all)',
    play: playTwins,
  },
  'two halves': {
    sends: 'the second half of a body a second after the first',
    expects: '2xx, after the second half',
    play: playHalves,
  },
  'cut request': {
    sends: 'half a body and the end of the connection, then a certificate',
    expects: '2xx to the certificate',
    play: playCut,
  },
  'reused connection': {
    sends: 'three certificates, the second a second after the first',
    expects: '2xx on one connection, unless the answer says that it closes',
    play: playReuse,
  },
};

const nameWidth = Math.max(...Object.keys(conformanceLines).map(({ length }) => length));
const marks = { ok: 'ok     ', fault: 'FAULT  ', skipped: 'skipped' } as const;

function skipped(saw: string): Verdict {
  return { kind: 'skipped', saw };
}

async function playBothEvents(receiver: Receiver): Promise<Verdict> {
  const { events } = receiver.options.webhook.configuration;
  if (events.length < 2) return skipped(`the webhook wants ${events.join()} alone`);
  const completed = receiver.sample('certificate_completed');
  const { _id, _userId } = completed;
  const expired = { ...receiver.sample('certificate_expired'), _id, _userId };
  const requests = [
    receiver.request(completed, { eventType: 'certificate_completed' }),
    receiver.request(expired, { eventType: 'certificate_expired' }),
  ];
  return judge(await receiver.sendInTurn(requests), isAccepted);
}

async function playCredentials(receiver: Receiver, wrong: readonly Authentication[]): Promise<Verdict> {
  if (receiver.authentication.authType === 'none') return skipped('the authType of the webhook is none');
  const requests = wrong.map((authentication) => receiver.request(receiver.sample(), { authentication }));
  return judge(await receiver.sendInTurn(requests), refusesCredential);
}

/**
 * Plays certificates at once, which open the connections, so that the copies after them arrive together. 429 is a right answer
 * to many requests. Fewer are sent if the service would not send ten at once.
 */
async function playTwins(receiver: Receiver): Promise<Verdict> {
  const { settings, webhook } = receiver.options;
  const { inFlight = mostAtOnce } = webhook.configuration.limits ?? {};
  const atOnce = Math.min(mostAtOnce, inFlight, settings.delivery.maxInFlightPerEndpoint);
  if (atOnce === 1) return skipped('the webhook gets one request at once');
  const all = { length: atOnce };
  const different = await Promise.all(Array.from(all, () => receiver.sendSample()));
  await receiver.becomesIdle(atOnce);
  const copy = receiver.request(receiver.sample());
  const outcomes = [...different, ...(await Promise.all(Array.from(all, () => receiver.send(copy))))];
  const busy = answers(429);
  const { kind } = judge(outcomes, (outcome) => isAccepted(outcome) || busy(outcome));
  return { kind: outcomes.some(isAccepted) ? kind : 'fault', saw: `${describe(outcomes)}, ${atOnce} at once` };
}

function sendBodies(receiver: Receiver, documents: readonly object[]): Promise<readonly RequestOutcome[]> {
  const sample = receiver.sample();
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
