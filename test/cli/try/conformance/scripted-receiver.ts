import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { portOf } from '../../../support/endpoints/endpoint.ts';
import { identity } from '../../../http/client-under-test.ts';

/** The credential that a receiver accepts: that of the configurations of the builders. */
export const credential = 'Bearer Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA';
type Certificate = Readonly<Record<string, unknown>>;

/** The decisions of a receiver. A faulty one decides one of them wrongly. Numbers are statuses. */
export interface Behaviour {
  /** Handles a request in its own way, before anything else. Returns true if it did. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  isAuthentic(header: string | undefined): boolean;
  acceptsType(type: string | undefined): boolean;
  read(request: IncomingMessage, response: ServerResponse): Promise<Buffer>;
  readonly maxBytes: number;
  readonly brokenStatus: number;
  readonly ids: readonly string[];
  /** Returns true for a certificate that it takes although its fields are not those of the examples. */
  takesFields(certificate: Certificate): boolean;
  /** Returns the status of a certificate that is stored already with the same body. */
  repeatStatus(): number;
  /** Status of one that is stored with another body. */
  readonly otherBodyStatus: number;
  /** Status of a copy that comes while the first one is being stored. */
  readonly copyStatus: number;
  /** The time that storing takes, in which copies can meet. */
  readonly storingMs: number;
  /** Called after each response. */
  answered(request: IncomingMessage): void;
}

/** Does everything as the page for subscribers says. */
const right: Behaviour = {
  handle: () => false,
  isAuthentic: (header) => header === credential,
  acceptsType: (type) => type === 'application/json',
  read: async (request) => buffer(request),
  maxBytes: 1024 * 1024,
  brokenStatus: 400,
  ids: ['_id', '_userId', '_ownerId'],
  takesFields: () => true,
  repeatStatus: () => 200,
  otherBodyStatus: 200,
  copyStatus: 200,
  storingMs: 5,
  answered: () => undefined,
};

/** Starts a receiver that is right but for these decisions. */
export async function startScriptedReceiver(
  change: Partial<Behaviour> = {},
): Promise<{ readonly port: number } & AsyncDisposable> {
  const behaviour = { ...right, ...change };
  const storage = new Storage(behaviour);
  const server = createServer({ cert: identity.certificate, key: identity.key }, (request, response) => {
    if (!behaviour.handle(request, response)) void answer(request, response, { behaviour, storage });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface Parts {
  readonly behaviour: Behaviour;
  readonly storage: Storage;
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  // A request that was cut off gets no answer.
  const status = await statusOf(request, response, parts).catch(() => undefined);
  if (status === undefined || response.writableEnded) return;
  response.once('finish', () => parts.behaviour.answered(request));
  response.writeHead(status).end('{}');
}

async function statusOf(
  request: IncomingMessage,
  response: ServerResponse,
  { behaviour, storage }: Parts,
): Promise<number> {
  const { authorization, 'content-type': type } = request.headers;
  if (!behaviour.isAuthentic(authorization)) return 401;
  if (!behaviour.acceptsType(type)) return 400;
  const body = await behaviour.read(request, response);
  if (body.length > behaviour.maxBytes) return 413;
  const certificate = parse(body);
  if (certificate === undefined) return behaviour.brokenStatus;
  if (!behaviour.ids.every((name) => typeof certificate[name] === 'string')) return 400;
  return behaviour.takesFields(certificate) ? storage.store(String(certificate['_id']), body) : 422;
}

function parse(body: Buffer): Certificate | undefined {
  try {
    return JSON.parse(body.toString('utf8')) as Certificate;
  } catch {
    return undefined;
  }
}

class Storage {
  readonly #behaviour: Behaviour;
  readonly #stored = new Map<string, string>();
  readonly #storing = new Set<string>();

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  async store(id: string, body: Buffer): Promise<number> {
    const text = body.toString('utf8');
    if (this.#storing.has(id)) return this.#behaviour.copyStatus;
    if (this.#stored.get(id) === text) return this.#behaviour.repeatStatus();
    if (this.#stored.has(id)) return this.#behaviour.otherBodyStatus;
    this.#storing.add(id);
    await wait(this.#behaviour.storingMs);
    this.#storing.delete(id);
    this.#stored.set(id, text);
    return 200;
  }
}
