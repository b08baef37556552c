import { createSecureContext, type SecureContext } from 'node:tls';
import type { Authority } from '../support/tls/authority.ts';

/** Each endpoint has an address of its own, so that each has an origin of its own. */
export function addressOf(endpoint: number): string {
  return `127.${1 + (endpoint >> 16)}.${(endpoint >> 8) & 255}.${endpoint & 255}`;
}

export function endpointAt(address: string): number {
  const [, highest = 1, high = 0, low = 0] = address.split('.').map(Number);
  return (highest - 1) * 65_536 + high * 256 + low;
}

/** As many addresses share a certificate: few enough for a handshake as short as anywhere. */
const endpointsPerCertificate = 20;

/** The certificates of endpoints, each made when it is first asked for. */
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
