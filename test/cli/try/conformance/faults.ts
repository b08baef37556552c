import { credential, type Behaviour } from './scripted-receiver.ts';

interface Fault {
  /** The fault, to follow "a receiver that". */
  readonly title: string;
  /** The line that has to find it. */
  readonly line: string;
  /** Returns the wrong decision. Called for each receiver, because some remember what came before. */
  readonly change: () => Partial<Behaviour>;
}

/** The fields of a whole certificate. */
const knownFields = 13;
/** Less than the pause of the line takes, and more than one between other lines, however long these last on a busy machine. */
const staleAfterTurns = 10;
const turnMs = 50;

/** Waits for turns of the event loop, each with a timer. A machine that is busy delays a turn, but adds none. */
class Turns {
  readonly #run: () => void;
  #left: number;
  #timer: NodeJS.Timeout;

  constructor(count: number, run: () => void) {
    this.#left = count;
    this.#run = run;
    this.#timer = this.#next();
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #next(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#left -= 1;
      if (this.#left > 0) this.#timer = this.#next();
      else this.#run();
    }, turnMs);
  }
}

/** Receivers with one fault each. */
export const faults: readonly Fault[] = [
  {
    title: 'redirects',
    line: 'right request',
    change: () => ({ handle: (_request, response) => end(response.writeHead(308, { location: '/elsewhere' })) }),
  },
  { title: 'answers too late', line: 'right request', change: () => ({ handle: () => true }) },
  { title: 'answers 409 to a repeat', line: 'repeat', change: () => ({ repeatStatus: 409 }) },
  { title: 'knows one event of an id', line: 'both events', change: () => ({ otherBodyStatus: 500 }) },
  {
    title: 'compares the beginning of the credential',
    line: 'wrong credential',
    change: () => ({ isAuthentic: (header) => header?.startsWith(credential) === true }),
  },
  {
    title: 'compares as much of the credential as came',
    line: 'wrong credential',
    change: () => ({ isAuthentic: (header) => header !== undefined && credential.startsWith(header) }),
  },
  {
    title: 'compares the length of the credential',
    line: 'wrong credential',
    change: () => ({ isAuthentic: (header) => header?.length === credential.length }),
  },
  {
    title: 'checks a credential only if there is one',
    line: 'no credential',
    change: () => ({ isAuthentic: (header) => header === undefined || header === credential }),
  },
  { title: 'accepts text/plain', line: 'content type', change: () => ({ acceptsType: () => true }) },
  { title: 'answers 200 to broken JSON', line: 'broken JSON', change: () => ({ brokenStatus: 200 }) },
  { title: 'answers 500 to broken JSON', line: 'broken JSON', change: () => ({ brokenStatus: 500 }) },
  { title: 'checks no owner', line: 'missing ids', change: () => ({ ids: ['_id', '_userId'] }) },
  { title: 'checks no id', line: 'missing ids', change: () => ({ ids: [] }) },
  { title: 'takes 100 KB', line: 'large body', change: () => ({ maxBytes: 100 * 1024 }) },
  {
    title: 'refuses unknown fields',
    line: 'unknown fields',
    change: () => ({ takesFields: (certificate) => Object.keys(certificate).length <= knownFields }),
  },
  {
    title: 'requires a rule',
    line: 'few fields',
    change: () => ({ takesFields: ({ ruleData }) => ruleData !== undefined }),
  },
  {
    title: 'answers 409 to a copy in progress',
    line: 'ten at once',
    change: () => ({ copyStatus: 409, storingMs: 1000 }),
  },
  {
    title: 'answers before the body is complete',
    line: 'two halves',
    change: () => ({
      read: async (request, response) => {
        let text = '';
        const length = Number(request.headers['content-length']);
        for await (const chunk of request) {
          text += String(chunk);
          const hasIds = /"_id".*"_userId".*"_ownerId":"/.test(text);
          if (hasIds && text.length < length && !response.headersSent) response.writeHead(202).end();
        }
        return Buffer.from(text);
      },
    }),
  },
  {
    title: 'takes what has come first for the body',
    line: 'two halves',
    change: () => ({
      read: async (request) => {
        const { promise, resolve } = Promise.withResolvers<Buffer>();
        const chunks: Buffer[] = [];
        // A large body comes in many pieces at every receiver.
        const isSmall = Number(request.headers['content-length']) < 10_000;
        request.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (isSmall) resolve(chunk);
        });
        request.on('end', () => resolve(Buffer.concat(chunks)));
        return promise;
      },
    }),
  },
  {
    title: 'hangs after a request that was cut off',
    line: 'cut request',
    change: () => {
      let cuts = 0;
      let hung = false;
      return {
        handle: (request) => {
          request.once('aborted', () => (cuts += 1));
          const hangs = cuts === 1 && !hung;
          hung ||= hangs;
          return hangs;
        },
      };
    },
  },
  {
    title: 'closes its connections without saying so',
    line: 'reused connection',
    change: () => ({ answered: ({ socket }) => void setImmediate(() => socket.end()) }),
  },
  {
    title: 'resets a connection that is used again after a pause',
    line: 'reused connection',
    change: () => {
      const stale = new WeakSet<object>();
      const waits = new WeakMap<object, Turns>();
      return {
        handle: ({ socket }) => {
          waits.get(socket)?.cancel();
          if (stale.has(socket)) socket.destroy();
          return stale.has(socket);
        },
        answered: ({ socket }) => {
          const wait = new Turns(staleAfterTurns, () => void stale.add(socket));
          if (!waits.has(socket)) socket.once('close', () => waits.get(socket)?.cancel());
          waits.set(socket, wait);
        },
      };
    },
  },
];

function end(response: { end(): unknown }): true {
  response.end();
  return true;
}
