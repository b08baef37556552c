import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { watchTimers } from './open-timers.ts';

/**
 * Runs before every test file, also when the file before it ran in the same process. A test fails when it leaks a server,
 * a connection, a watcher, a process or a timer. The resources are counted by Node, so that tests register nothing.
 *
 * Closing takes some iterations of the event loop, hence the grace period. Kinds of resources that a `beforeAll` opens are
 * shared by the tests of the file. They are checked only at the end of the file.
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
  if (left.length > 0) throw new Error(`The test leaked ${inWords(left)}`);
});

// Runs last: these hooks run in reverse order. The next file of this process watches its own timers.
afterAll(() => timers[Symbol.dispose]());

afterAll(async () => {
  const left = await settled(() => openedSince(before.file));
  if (left.length > 0) throw new Error(`The tests of this file leaked ${inWords(left)}`);
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
