import { createServer as createPlain, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { portOf } from '../endpoints/endpoint.ts';
import type { Identity } from './authority.ts';

interface TokenRequest {
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
}

/** The answer to a request for a token. */
type TokenBehaviour =
  | { readonly kind: 'token' }
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | { readonly kind: 'silence' };

interface ProviderOptions {
  /** The certificate of the token endpoint. */
  readonly identity: Identity;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
  readonly lifeSeconds: number;
}

/** An OpenID provider: a token endpoint that signs JWTs, and an endpoint with the keys that verify them. */
export class IdentityProvider implements AsyncDisposable {
  readonly requests: TokenRequest[] = [];
  /** Changed by tests while clients use it. */
  clientSecret: string;
  audience: string;
  lifeSeconds: number;
  behaviour: TokenBehaviour = { kind: 'token' };
  readonly #options: ProviderOptions;
  readonly #keys: Keys;
  readonly #tokens: Server;
  readonly #keysServer: Server;
  #port = 0;

  /** Use `startIdentityProvider`. */
  constructor(options: ProviderOptions, keys: Keys) {
    this.#options = options;
    this.#keys = keys;
    this.clientSecret = options.clientSecret;
    this.audience = options.audience;
    this.lifeSeconds = options.lifeSeconds;
    const answer: RequestListener = (request, response) => void this.#answer(request, response);
    const { identity } = options;
    this.#tokens = createSecure({ key: identity.key, cert: identity.certificate }, answer);
    this.#keysServer = createPlain((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(keys.published);
    });
  }

  get tokenUrl(): string {
    return `https://127.0.0.1:${this.#port}/token`;
  }

  get keysUrl(): string {
    return `http://127.0.0.1:${portOf(this.#keysServer)}/keys`;
  }

  async start(): Promise<void> {
    await listen(this.#tokens, 0);
    this.#port = portOf(this.#tokens);
    await listen(this.#keysServer, 0);
  }

  /** Closes the token endpoint: connections are refused. */
  async stop(): Promise<void> {
    await close(this.#tokens);
  }

  /** Opens the token endpoint again, at the same port. */
  async restart(): Promise<void> {
    await listen(this.#tokens, this.#port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.#tokens, this.#keysServer]) if (server.listening) await close(server);
  }

  async #answer(...[request, response]: Parameters<RequestListener>): Promise<void> {
    const { behaviour } = this;
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    this.requests.push({ authorization: request.headers.authorization, form });
    if (behaviour.kind === 'silence') return;
    const { status, body } = behaviour.kind === 'answer' ? behaviour : await this.#token(request);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  }

  async #token(request: IncomingMessage): Promise<{ readonly status: number; readonly body: string }> {
    const pair = `${this.#options.clientId}:${this.clientSecret}`;
    if (request.headers.authorization !== `Basic ${Buffer.from(pair).toString('base64')}`)
      return { status: 401, body: JSON.stringify({ error: 'invalid_client' }) };
    const token = await new SignJWT({ scope: 'kafka' })
      .setProtectedHeader({ alg: 'RS256', kid: keyId })
      .setSubject(this.#options.clientId)
      .setAudience(this.audience)
      .setIssuedAt()
      .setExpirationTime(`${this.lifeSeconds} seconds`)
      .sign(this.#keys.privateKey);
    const body = { access_token: token, token_type: 'Bearer', expires_in: this.lifeSeconds };
    return { status: 200, body: JSON.stringify(body) };
  }
}

export async function startIdentityProvider(options: ProviderOptions): Promise<IdentityProvider> {
  const provider = new IdentityProvider(options, await createKeys());
  await provider.start();
  return provider;
}

interface Keys {
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  /** A JWK set. */
  readonly published: string;
}

const keyId = 'one';

async function createKeys(): Promise<Keys> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: keyId, use: 'sig', alg: 'RS256' };
  return { privateKey, published: JSON.stringify({ keys: [jwk] }) };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
