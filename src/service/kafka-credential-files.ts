import type { KafkaEvents } from '../kafka/kafka-events.ts';
import { type MonotonicClock, every } from '../lib/clock.ts';
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
  readonly clock: MonotonicClock;
}

/** Pause in ms between two reads of the files. A change must be read twice, so it takes up to 2 s. */
const checkEveryMs = 1_000;
/** Interval in ms at which a lasting failure is reported again, so that an alert on new failures keeps firing. */
const repeatFailureEveryMs = 60_000;

/**
 * Keeps the credentials for Kafka equal to their files, which may be replaced while the service runs. Owns the credentials
 * in use, the content last read, and the loop that reads the files.
 *
 * | A check reads                                 | Then                                                          |
 * | --------------------------------------------- | ------------------------------------------------------------- |
 * | the credentials in use                        | nothing changes                                               |
 * | other content, for the first time             | it is remembered                                              |
 * | the same other content as the read before     | it comes into use; `credentialsReloaded`                      |
 * | an unusable or missing file                   | the credentials stay in use; `credentialsReloadFailed`        |
 * | the credentials in use, after a failure       | they stay in use; `credentialsReloaded`                       |
 *
 * `startService` creates it before the Kafka clients. They read `current` for each connection and each authentication.
 * Without any file, it never reads and `current` never changes.
 *
 * Promises:
 * - `current` is always usable. A key that does not belong to its certificate counts as unusable.
 * - Two equal reads are required, because files are replaced one after the other. One read may mix old and new files.
 * - It reads at an interval, because file notifications miss the second swap of a mounted Kubernetes volume.
 * - Events never contain a secret.
 */
export class KafkaCredentialsWatch implements AsyncDisposable {
  readonly #options: CredentialsWatchOptions;
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;
  #current: KafkaCredentials;
  #lastRead: string;
  #lastFailure: { readonly reason: string; readonly at: number } | undefined;

  constructor(options: CredentialsWatchOptions) {
    this.#options = options;
    this.#current = initialKafkaCredentials(options.settings);
    this.#lastRead = textOf(this.#current);
    const check = { ms: checkEveryMs, clock: options.clock, signal: this.#stopping.signal };
    this.#watching = hasCredentialFiles(options.settings) ? every(check, async () => this.#check()) : Promise.resolve();
  }

  get current(): KafkaCredentials {
    return this.#current;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #check(): Promise<void> {
    const { settings } = this.#options;
    try {
      this.#update(await readKafkaCredentials(settings));
    } catch (error) {
      if (!(error instanceof SecretFileError)) throw error;
      this.#reportFailure(error.message);
    }
  }

  #reportFailure(reason: string): void {
    const { events, clock } = this.#options;
    const now = clock.monotonic();
    if (this.#lastFailure?.reason === reason && now - this.#lastFailure.at < repeatFailureEveryMs) return;
    this.#lastFailure = { reason, at: now };
    events.credentialsReloadFailed({ reason });
  }

  #update(found: KafkaCredentials): void {
    const text = textOf(found);
    const wasReadBefore = text === this.#lastRead;
    this.#lastRead = text;
    const isInUse = text === textOf(this.#current) && this.#lastFailure === undefined;
    if (!wasReadBefore || isInUse) return;
    this.#current = found;
    this.#lastFailure = undefined;
    this.#options.events.credentialsReloaded();
  }
}

/** Returns a text for comparisons. It contains the secrets, so it must not leave this file. */
function textOf({ certificateAuthorities, clientCertificate, loginSecret }: KafkaCredentials): string {
  return JSON.stringify([
    certificateAuthorities,
    clientCertificate?.chain,
    clientCertificate?.key.reveal(),
    loginSecret?.reveal(),
  ]);
}
