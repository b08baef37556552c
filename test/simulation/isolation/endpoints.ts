import type { InFlight, PreparedRequest, Sender } from '../../../src/deliveries/request.ts';
import type { RequestOutcome } from '../../../src/deliveries/outcome.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { idHeader } from '../environment/endpoints.ts';
import type { ProcessClock } from '../time/process-clock.ts';
import type { Measurements } from './measurements.ts';
import type { Processor } from './processor.ts';
import type { Situation } from './situation.ts';

interface EndpointsOptions {
  readonly clock: Clock;
  readonly process: ProcessClock;
  readonly processor: Processor;
  readonly responseOf: Situation['responseOf'];
  readonly measurements: Measurements;
  readonly timeoutMs: number;
}

const delivered: RequestOutcome = { kind: 'delivered', status: 200 };
const timedOut: RequestOutcome = { kind: 'timeout', message: 'no answer in time' };

/**
 * Creates the HTTP client of the process together with all endpoints. A request leaves once the process has done the
 * work for it, after all earlier work.
 */
export function createEndpoints({
  clock,
  process,
  processor,
  responseOf,
  measurements,
  timeoutMs,
}: EndpointsOptions): Sender {
  return {
    send: (request, listener): InFlight => {
      let hasEnded = false;
      const end = (outcome: RequestOutcome): void => {
        if (!hasEnded) listener.onOutcome(outcome);
        hasEnded = true;
      };
      const deliveryId = deliveryIdOf(request);
      const webhookId = deliveryId.slice(deliveryId.lastIndexOf('/') + 1);
      const sentAt = processor.spend('request');
      const atMs = measurements.sent({ deliveryId, webhookId, sentAt });
      const response = responseOf({ deliveryId, webhookId, atMs });
      const leavesInMs = sentAt - clock.now();
      if (response === undefined || response.afterMs > timeoutMs)
        process.after(leavesInMs + timeoutMs, () => end(timedOut));
      else {
        const { afterMs, outcome = delivered, busyMs = 0 } = response;
        const answer = (): void => {
          if (busyMs > 0) processor.spendMs(busyMs);
          end(outcome);
        };
        clock.after(leavesInMs + afterMs, () => process.run(answer));
      }
      return { abort: () => end({ kind: 'draining' }) };
    },
  };
}

function deliveryIdOf({ extraHeaders }: PreparedRequest): string {
  return extraHeaders[extraHeaders.indexOf(idHeader) + 1] ?? '';
}
