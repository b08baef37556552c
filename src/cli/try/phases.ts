import type { EgressPolicy } from '../../http/egress/egress-policy.ts';
import type { WrapSteps } from '../../http/http-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { TlsConnection } from '../../http/tls/tls-dialer.ts';

interface PhasesOptions {
  readonly clock: Clock;
  /** True if connections lead through a proxy, which resolves the names of endpoints. */
  readonly hasProxy: boolean;
  /** Prints one line. The text has no line break. */
  readonly out: (line: string) => void;
}

type PhaseName =
  'name' | 'connection' | 'TLS' | 'proxy name' | 'proxy connection' | 'proxy TLS' | 'tunnel' | 'request' | 'response';

const nameWidth = 'proxy connection'.length;
/** The width of a time, such as `15000 ms`. */
const timeWidth = 8;
const indent = ' '.repeat(nameWidth + timeWidth + 6);

/**
 * Prints each phase of one request as it ends, with the time that it took. Observes the steps of the HTTP client from
 * outside: `wrap` takes its resolver and dialers, and the caller reports what follows after the connection.
 *
 *     direct:   name ──▶ connection ──▶ TLS ──▶ request ──▶ response
 *     by proxy: proxy name ──▶ proxy connection ──▶ [proxy TLS] ──▶ tunnel ──▶ TLS ──▶ request ──▶ response
 *
 * At most one phase is open. `finish` prints it as one that did not end.
 */
export class Phases {
  readonly #options: PhasesOptions;
  #open: { readonly name: PhaseName; readonly startedAt: number } | undefined;

  constructor(options: PhasesOptions) {
    this.#options = options;
  }

  /** Wraps the steps so that each reports its beginning and its end. */
  readonly wrap: WrapSteps = ({ policy, resolve, dialTcp, dialTls }) => {
    const { hasProxy } = this.#options;
    return {
      policy,
      resolve: async (host, onPartial) => {
        const addresses = await this.#during(hasProxy ? 'proxy name' : 'name', () => resolve(host, onPartial));
        this.#end(addresses.join(', '));
        if (!hasProxy) this.#printRefused(addresses, policy);
        return addresses;
      },
      dialTcp: async (dial) => {
        const socket = await this.#during(hasProxy ? 'proxy connection' : 'connection', () => dialTcp(dial));
        this.#end(`to ${socket.remoteAddress ?? 'an address that is gone'}, port ${dial.port}`);
        if (hasProxy) this.#begin('tunnel');
        return socket;
      },
      dialTls: async (dial) => {
        const isToProxy = dial.maxBytes === Number.POSITIVE_INFINITY;
        if (hasProxy && !isToProxy) this.#end('to the endpoint');
        const connection = await this.#during(isToProxy ? 'proxy TLS' : 'TLS', () => dialTls(dial));
        this.#end(describeTls(connection, this.#options.clock.now()));
        this.#begin(isToProxy ? 'tunnel' : 'request');
        return connection;
      },
    };
  };

  requestWritten(bodyBytes: number): void {
    this.#end(`${bodyBytes} bytes of body written`);
    this.#begin('response');
  }

  headRead(): void {
    this.#end('head read');
  }

  /** Prints the phase that is open, which has failed or was not over in time. */
  finish(): void {
    this.#end('not completed');
  }

  async #during<Result>(name: PhaseName, run: () => Promise<Result>): Promise<Result> {
    this.#begin(name);
    try {
      return await run();
    } catch (error) {
      this.#end('failed');
      throw error;
    }
  }

  #begin(name: PhaseName): void {
    this.#open = { name, startedAt: this.#options.clock.monotonic() };
  }

  /** Prints the open phase. Does nothing if there is none, such as after `finish`. */
  #end(result: string): void {
    if (this.#open === undefined) return;
    const { name, startedAt } = this.#open;
    const time = `${Math.round(this.#options.clock.monotonic() - startedAt)} ms`;
    this.#open = undefined;
    this.#options.out(`  ${name.padEnd(nameWidth)}  ${time.padStart(timeWidth)}  ${result}`);
  }

  #printRefused(addresses: readonly string[], policy: EgressPolicy): void {
    for (const address of addresses) {
      const refused = policy.refuseAddress(address);
      if (refused !== undefined) this.#options.out(`${indent}refused: ${address}, because ${refused}`);
    }
  }
}

const dayMs = 86_400_000;

function describeTls({ socket, validUntil }: TlsConnection, now: number): string {
  const { standardName } = socket.getCipher();
  const end = new Date(validUntil).toISOString();
  const validity = `certificate valid until ${end}, for ${Math.floor((validUntil - now) / dayMs)} days`;
  return [socket.getProtocol() ?? 'unknown version', standardName, validity].join(', ');
}
