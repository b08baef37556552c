import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { RequestError } from './request-error.ts';

export interface ResponseHead {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly date: string | undefined;
}

/** What is read of a body, which nobody wants, so that the connection can be used again. */
const maxBodyBytes = 16 * 1024;
const maxBodyMs = 1000;

/** Hears from undici how one request goes, and tells it as two promises: of the head, and of the end. */
export class ResponseReader implements Dispatcher.DispatchHandler {
  /** Rejects with a `RequestError`. */
  readonly head: Promise<ResponseHead>;
  /** Resolves, always, once the connection has nothing more to do with this request. */
  readonly ended: Promise<void>;

  readonly #head = Promise.withResolvers<ResponseHead>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #clock: Clock;
  readonly #breakOff: () => void;
  #patience: Disposable | undefined;
  #begun = false;
  #over = false;
  #bodyBytes = 0;

  /** `breakOff` closes the connection; it may be called more than once. */
  constructor(clock: Clock, breakOff: () => void) {
    this.head = this.#head.promise;
    this.ended = this.#ended.promise;
    this.#clock = clock;
    this.#breakOff = breakOff;
  }

  /** Whether `ended` has resolved. */
  get hasEnded(): boolean {
    return this.#over;
  }

  /** Closes the connection, unless the response is over: then the connection may be another's. */
  abort(): void {
    if (!this.#over) this.#breakOff();
  }

  onRequestStart(): void {
    // undici refuses a handler without it.
  }

  /** The first byte of a response is there. */
  onResponseStarted(): void {
    this.#begun = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#head.resolve({ status, retryAfter: first(headers['retry-after']), date: first(headers['date']) });
    if (Number(first(headers['content-length'])) > maxBodyBytes) this.#breakOff();
    else queueMicrotask(() => this.#bePatient());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > maxBodyBytes) this.#breakOff();
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#head.reject(new RequestError(this.#begun ? 'response' : 'request', error));
    this.#breakOff();
    this.#end();
  }

  /** Most bodies come with their head, or there is none: no timer for these. */
  #bePatient(): void {
    if (!this.#over) this.#patience = this.#clock.after(maxBodyMs, this.#breakOff);
  }

  #end(): void {
    this.#over = true;
    this.#patience?.[Symbol.dispose]();
    this.#ended.resolve();
  }
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}
