import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { watchTimers } from './open-timers.ts';

/**
 * Loaded in front of every test file: a test that leaves a server, a connection, a watcher, a process or a timer behind
 * fails. What is counted is what Node itself says keeps the process alive, so that nobody has to register anything.
 *
 * Closing takes a few turns of the event loop, hence the grace. Kinds that a file shares between its tests (made in its
 * `beforeAll`) come and go as they like; those are looked at once the file is over.
 */
const handles: Readonly<Record<string, string>> = {
  TCPServerWrap: 'server',
  TCPSocketWrap: 'connection',
  ProcessWrap: 'child process',
  FSEventWrap: 'file watcher',
  StatWatcher: 'file watcher',
};
const graceMs = 5000;

type Open = ReadonlyMap<string, number>;

const timers = watchTimers();
const before: { file: Open; test: Open } = { file: new Map(), test: new Map() };

beforeAll(() => {
  before.file = countOpen();
});

beforeEach(() => {
  before.test = countOpen();
});

afterEach(async () => {
  const left = await settled(() => openedSince(before.test).filter(([kind]) => !isShared(kind)));
  if (left.length > 0) throw new Error(`The test left behind ${inWords(left)}`);
});

afterAll(async () => {
  const left = await settled(() => openedSince(before.file));
  if (left.length > 0) throw new Error(`The tests of this file left behind ${inWords(left)}`);
});

function isShared(kind: string): boolean {
  return at(before.test, kind) > at(before.file, kind);
}

type Left = readonly (readonly [kind: string, number: number])[];

async function settled(look: () => Left): Promise<Left> {
  const deadline = Date.now() + graceMs;
  let left = look();
  while (left.length > 0 && Date.now() < deadline) {
    await setImmediate();
    left = look();
  }
  return left;
}

function openedSince(earlier: Open): Left {
  return [...countOpen()]
    .map(([kind, number]) => [kind, number - at(earlier, kind)] as const)
    .filter(([, more]) => more > 0);
}

function countOpen(): Open {
  const counts = new Map<string, number>([['timer', timers.startedAt.length]]);
  for (const resource of process.getActiveResourcesInfo()) {
    const kind = handles[resource];
    if (kind !== undefined) counts.set(kind, at(counts, kind) + 1);
  }
  return counts;
}

function at(counts: Open, kind: string): number {
  return counts.get(kind) ?? 0;
}

function inWords(left: Left): string {
  const list = left.map(([kind, number]) => `${number} × ${kind}`).join(', ');
  return `${list}.\nTimers were started at: ${timers.startedAt.join(', ') || 'none'}.`;
}
