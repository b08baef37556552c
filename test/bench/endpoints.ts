import { createSecureContext, type SecureContext } from 'node:tls';
import type { Authority } from '../support/tls/authority.ts';

/** Returns the endpoint's own loopback address, which makes each endpoint an origin of its own. */
export function addressOf(endpoint: number): string {
  return `127.${1 + (endpoint >> 16)}.${(endpoint >> 8) & 255}.${endpoint & 255}`;
}

/** Returns the number of the endpoint that has this address. */
export function endpointAt(address: string): number {
  const [, highest = 1, high = 0, low = 0] = address.split('.').map(Number);
  return (highest - 1) * 65_536 + high * 256 + low;
}

/** Few enough that the certificate, and with it the handshake, stays as short as usual. */
const endpointsPerCertificate = 20;

/** TLS contexts of the endpoints, created on first use. */
export class EndpointContexts {
  readonly #authority: Authority;
  readonly #contexts = new Map<number, SecureContext>();

  constructor(authority: Authority) {
    this.#authority = authority;
  }

  of(endpoint: number): SecureContext {
    const group = Math.floor(endpoint / endpointsPerCertificate);
    const known = this.#contexts.get(group);
    if (known !== undefined) return known;
    const first = group * endpointsPerCertificate;
    const names = Array.from({ length: endpointsPerCertificate }, (_, number) => addressOf(first + number));
    const { certificate, key } = this.#authority.issue({ names });
    const context = createSecureContext({ cert: certificate, key });
    this.#contexts.set(group, context);
    return context;
  }
}
