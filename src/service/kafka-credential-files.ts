import type { KafkaEvents } from '../kafka/kafka-events.ts';
import type { Clock } from '../lib/clock.ts';
import { every } from '../lib/every.ts';
import {
  initialKafkaCredentials,
  hasCredentialFiles,
  readKafkaCredentials,
  SecretFileError,
  type KafkaCredentials,
  type KafkaSettings,
} from '../settings.ts';

interface CredentialsWatchOptions {
  readonly settings: KafkaSettings;
  readonly events: Pick<KafkaEvents, 'credentialsReloaded' | 'credentialsReloadFailed'>;
  readonly clock: Clock;
}

const checkEveryMs = 1_000;
/** Who counts failures is to see that one lasts. */
const repeatFailureEveryMs = 60_000;

/**
 * What the files of the connection to Kafka hold, looked at again and again: notifications miss the second swap of a
 * mounted Kubernetes volume. A change counts once two looks in a row have seen it. What can't be used is told, and what
 * was read before stays in use.
 */
export class KafkaCredentialsWatch implements AsyncDisposable {
  readonly #options: CredentialsWatchOptions;
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;
  #current: KafkaCredentials;
  #lastSeen: string;
  #lastFailure: { readonly reason: string; readonly at: number } | undefined;

  constructor(options: CredentialsWatchOptions) {
    this.#options = options;
    this.#current = initialKafkaCredentials(options.settings);
    this.#lastSeen = textOf(this.#current);
    this.#watching = hasCredentialFiles(options.settings) ? this.#watch() : Promise.resolve();
  }

  get current(): KafkaCredentials {
    return this.#current;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { clock } = this.#options;
    await every({ ms: checkEveryMs, clock, signal: this.#stopping.signal }, async () => this.#check());
  }

  async #check(): Promise<void> {
    const { settings } = this.#options;
    try {
      this.#update(await readKafkaCredentials(settings));
      this.#lastFailure = undefined;
    } catch (error) {
      if (!(error instanceof SecretFileError)) throw error;
      this.#reportFailure(error.message);
    }
  }

  #reportFailure(reason: string): void {
    const { events, clock } = this.#options;
    const now = clock.now();
    if (this.#lastFailure?.reason === reason && now - this.#lastFailure.at < repeatFailureEveryMs) return;
    this.#lastFailure = { reason, at: now };
    events.credentialsReloadFailed({ reason });
  }

  #update(found: KafkaCredentials): void {
    const text = textOf(found);
    const standsStill = text === this.#lastSeen;
    this.#lastSeen = text;
    if (!standsStill || text === textOf(this.#current)) return;
    this.#current = found;
    this.#options.events.credentialsReloaded();
  }
}

/** To compare, never to be told. */
function textOf({ certificateAuthorities, clientCertificate, password }: KafkaCredentials): string {
  return JSON.stringify([
    certificateAuthorities,
    clientCertificate?.chain,
    clientCertificate?.key.reveal(),
    password?.reveal(),
  ]);
}
