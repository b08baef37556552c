import type { Terminal } from '../../terminal/terminal.ts';
import { playCut, playHalves, playReuse } from './connection-lines.ts';
import {
  playBothEvents,
  playBrokenJson,
  playContentType,
  playFewFields,
  playLargeBody,
  playMissingIds,
  playNoCredential,
  playRepeat,
  playRight,
  playTwins,
  playUnknownFields,
  playWrongCredentials,
} from './request-lines.ts';
import { Receiver, type ReceiverOptions } from './receiver.ts';
import type { Verdict } from './judgement.ts';

/** Plays all lines at a receiver, and prints each as it ends. Returns exit code 0 if it has no fault. */
export async function runConformance(options: ReceiverOptions, { out }: Pick<Terminal, 'out'>): Promise<0 | 1> {
  await using receiver = new Receiver(options);
  const verdicts: Verdict[] = [];
  for (const { name, expects, play } of conformanceLines) {
    const isPointless = verdicts[0]?.kind === 'fault';
    const verdict = isPointless ? notPlayed : await play(receiver);
    verdicts.push(verdict);
    const expected = verdict.kind === 'fault' ? `; expected ${expects}` : '';
    out(`${marks[verdict.kind]}  ${name.padEnd(nameWidth)}  ${verdict.saw}${expected}`);
  }
  const count = (kind: Verdict['kind']): number => verdicts.filter((verdict) => verdict.kind === kind).length;
  out(`${count('ok')} ok, ${count('fault')} with a fault, ${count('skipped')} skipped`);
  out("Whether a repeat was stored twice can't be seen from here: look for two rows of one test certificate.");
  return count('fault') === 0 ? 0 : 1;
}

const notPlayed: Verdict = { kind: 'skipped', saw: 'a right request is not accepted' };

/** One line of the table in `docs/subscribers.md`. A test compares them. */
export interface ConformanceLine {
  readonly name: string;
  /** The requests, as the page describes them. */
  readonly sends: string;
  readonly expects: string;
  readonly play: (receiver: Receiver) => Promise<Verdict>;
}

/** All lines in their order. Each has certificates of its own. Without the first one, the others say nothing. */
export const conformanceLines: readonly ConformanceLine[] = [
  { name: 'right request', sends: 'a certificate', expects: '2xx', play: playRight },
  { name: 'repeat', sends: 'a certificate twice', expects: '2xx both times', play: playRepeat },
  {
    name: 'both events',
    sends: 'a certificate, and the same `_id` as expired',
    expects: '2xx both times',
    play: playBothEvents,
  },
  {
    name: 'wrong credential',
    sends: 'the credential with its last character changed, missing, and doubled by another one',
    expects: '401 (or 403)',
    play: playWrongCredentials,
  },
  { name: 'no credential', sends: 'no credential', expects: '401 (or 403)', play: playNoCredential },
  { name: 'content type', sends: '`Content-Type: text/plain`', expects: '400 (or 415, 422)', play: playContentType },
  {
    name: 'broken JSON',
    sends: 'the first half of a body, as a whole one',
    expects: '400 (or 415, 422)',
    play: playBrokenJson,
  },
  {
    name: 'missing ids',
    sends: 'bodies without `_id`, without `_userId`, and without `_ownerId`',
    expects: '400 (or 415, 422)',
    play: playMissingIds,
  },
  { name: 'large body', sends: 'a body of 900 KB', expects: '2xx', play: playLargeBody },
  { name: 'unknown fields', sends: 'fields that this page does not name', expects: '2xx', play: playUnknownFields },
  { name: 'few fields', sends: 'a body with the three ids alone', expects: '2xx', play: playFewFields },
  {
    name: 'ten at once',
    sends: 'ten certificates at once, then ten copies of one certificate at once',
    expects: '2xx (or 429, not for all)',
    play: playTwins,
  },
  {
    name: 'two halves',
    sends: 'the second half of a body a second after the first',
    expects: '2xx, after the second half',
    play: playHalves,
  },
  {
    name: 'cut request',
    sends: 'half a body and the end of the connection, then a certificate',
    expects: '2xx to the certificate',
    play: playCut,
  },
  {
    name: 'reused connection',
    sends: 'three certificates, the second a second after the first',
    expects: '2xx on one connection, unless the answer says that it closes',
    play: playReuse,
  },
];

const nameWidth = Math.max(...conformanceLines.map(({ name }) => name.length));
const marks = { ok: 'ok     ', fault: 'FAULT  ', skipped: 'skipped' } as const;
