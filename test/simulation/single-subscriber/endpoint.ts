import type { InFlight, Sender } from '../../../src/deliveries/request.ts';
import type { RequestOutcome } from '../../../src/deliveries/outcome.ts';
import type { Clock } from '../../../src/lib/clock.ts';

/** The response of an endpoint to one request. */
export interface EndpointResponse {
  readonly afterMs: number;
  readonly outcome: RequestOutcome;
}

/** Creates an endpoint without a limit on concurrent requests. */
export function createEndpoint(
  clock: Clock,
  responseAt: (now: number) => EndpointResponse,
): Sender & { readonly requests: number } {
  let requests = 0;
  return {
    get requests() {
      return requests;
    },
    send: (_request, listener): InFlight => {
      requests += 1;
      const { afterMs, outcome } = responseAt(clock.now());
      clock.after(afterMs, () => listener.onOutcome(outcome));
      return { abort: () => undefined };
    },
  };
}

export const deliveredInOneSecond: EndpointResponse = { afterMs: 1000, outcome: { kind: 'delivered', status: 200 } };
export const timesOut: EndpointResponse = {
  afterMs: 15_000,
  outcome: { kind: 'timeout', message: 'no answer in time' },
};
