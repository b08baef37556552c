import type { Terminal } from '../../terminal/terminal.ts';
import { conformanceLines } from './conformance-lines.ts';
import { Receiver, type ReceiverOptions } from './receiver.ts';
import type { Verdict } from './judgement.ts';

const nameWidth = Math.max(...conformanceLines.map(({ name }) => name.length));
const marks = { ok: 'ok     ', fault: 'FAULT  ', skipped: 'skipped' } as const;

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
