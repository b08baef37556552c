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
/** Receivers with one fault each. */
export const faults: readonly Fault[] = [
  {
    title: 'redirects',
    line: 'right request',
    change: () => ({ handle: (_request, response) => end(response.writeHead(308, { location: '/elsewhere' })) }),
  },
  {
    title: 'answers 409 to a repeat',
    line: 'repeat',
    change: () => {
      // To the first one alone: a copy of "ten at once" that comes late is a repeat as well.
      const statuses = [409];
      return { repeatStatus: () => statuses.pop() ?? 200 };
    },
  },
  { title: 'knows one event of an id', line: 'both events', change: () => ({ otherBodyStatus: 500 }) },
  {
    title: 'compares the beginning of the credential',
    line: 'wrong credential',
    change: () => ({ isAuthentic: (header) => header?.startsWith(credential) === true }),
  },
  {
    title: 'checks a credential only if there is one',
    line: 'no credential',
    change: () => ({ isAuthentic: (header) => header === undefined || header === credential }),
  },
  { title: 'accepts text/plain', line: 'content type', change: () => ({ acceptsType: () => true }) },
  { title: 'answers 200 to broken JSON', line: 'broken JSON', change: () => ({ brokenStatus: 200 }) },
  { title: 'checks no owner', line: 'missing ids', change: () => ({ ids: ['_id', '_userId'] }) },
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
];

function end(response: { end(): unknown }): true {
  response.end();
  return true;
}
