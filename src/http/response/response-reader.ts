import type { Dispatcher } from 'undici';
import type { MonotonicClock } from '../../lib/clock.ts';
import { RequestError } from '../request-error.ts';

export interface ResponseHead {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly date: string | undefined;
  /** True if the server says that it closes the connection after this response. */
  readonly closes: boolean;
}

/** Gets one call for each response, in a microtask after everything that arrived with the head was read. */
export interface ResponseListener {
  onHead(head: ResponseHead, response: ResponseReader): void;
  onNoHead(error: RequestError): void;
}

/** The limits for reading a body. It is discarded, and read only so that the connection can be used again. */
const maxBodyBytes = 16 * 1024;
const maxBodyMs = 1000;

/** Receives one response from undici. Passes its head to a listener, and offers a promise of its end. */
export class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #clock: MonotonicClock;
  readonly #closeConnection: () => void;
  readonly #listener: ResponseListener;
  #isReported = false;
  #bodyTimer: Disposable | undefined;
  #hasStarted = false;
  #hasEnded = false;
  #wasCut = false;
  /** Undefined unless somebody waits for the end. */
  #ended: PromiseWithResolvers<void> | undefined;
  #bodyBytes = 0;

  /** `closeConnection` closes the connection; it may be called more than once. */
  constructor(clock: MonotonicClock, closeConnection: () => void, listener: ResponseListener) {
    this.#clock = clock;
    this.#closeConnection = closeConnection;
    this.#listener = listener;
  }

  /** True once the connection is no longer used by this request. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** True if this side closed the connection, because the body was too long or took too long. */
  get wasCut(): boolean {
    return this.#wasCut;
  }

  /** Resolves once `hasEnded` is true. Never rejects. */
  get ended(): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    this.#ended ??= Promise.withResolvers();
    return this.#ended.promise;
  }

  /**
   * Closes the connection. Does nothing after the end of the response, because another request may use the connection.
   */
  abort(): void {
    if (!this.#hasEnded) this.#closeConnection();
  }

  onRequestStart(): void {
    // undici refuses a handler without it.
  }

  /** Called with the first byte of a response. */
  onResponseStarted(): void {
    this.#hasStarted = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#isReported = true;
    const head: ResponseHead = {
      status,
      retryAfter: first(headers['retry-after']),
      date: first(headers['date']),
      closes: /(?:^|[ \t,])close(?:[ \t,]|$)/i.test(String(headers['connection'] ?? '')),
    };
    if (Number(first(headers['content-length'])) > maxBodyBytes) this.#cut();
    queueMicrotask(() => {
      this.#limitBodyTime();
      this.#listener.onHead(head, this);
    });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > maxBodyBytes) this.#cut();
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#closeConnection();
    this.#end();
    if (this.#isReported) return;
    this.#isReported = true;
    const failure = new RequestError(this.#hasStarted ? 'response' : 'request', error);
    queueMicrotask(() => this.#listener.onNoHead(failure));
  }

  /** Starts the timer for the body. Most bodies arrive with their head and need none. */
  #limitBodyTime(): void {
    if (!this.#hasEnded) this.#bodyTimer = this.#clock.after(maxBodyMs, () => this.#cut());
  }

  #cut(): void {
    this.#wasCut = true;
    this.#closeConnection();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#bodyTimer?.[Symbol.dispose]();
    this.#ended?.resolve();
  }
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}
