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

const lookEveryMs = 1_000;
/** Who counts failures is to see that one lasts. */
const tellEveryMs = 60_000;

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
  #seen: string;
  #told: { readonly reason: string; readonly at: number } | undefined;

  constructor(options: CredentialsWatchOptions) {
    this.#options = options;
    this.#current = initialKafkaCredentials(options.settings);
    this.#seen = textOf(this.#current);
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
    await every({ ms: lookEveryMs, clock, signal: this.#stopping.signal }, async () => this.#look());
  }

  async #look(): Promise<void> {
    const { settings } = this.#options;
    try {
      this.#take(await readKafkaCredentials(settings));
      this.#told = undefined;
    } catch (error) {
      if (!(error instanceof SecretFileError)) throw error;
      this.#tell(error.message);
    }
  }

  #tell(reason: string): void {
    const { events, clock } = this.#options;
    const now = clock.now();
    if (this.#told?.reason === reason && now - this.#told.at < tellEveryMs) return;
    this.#told = { reason, at: now };
    events.credentialsReloadFailed({ reason });
  }

  #take(found: KafkaCredentials): void {
    const text = textOf(found);
    const standsStill = text === this.#seen;
    this.#seen = text;
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
