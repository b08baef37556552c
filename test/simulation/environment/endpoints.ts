import type { InFlight, PreparedRequest, RequestListener, Sender } from '../../../src/deliveries/request.ts';
import type { RequestOutcome } from '../../../src/deliveries/outcome.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { History, RequestFacts } from '../history.ts';
import type { BehaviourPhase, Behaviour } from '../scenario/scenario.ts';
import type { Random } from '../random.ts';
import type { ProcessClock } from '../time/process-clock.ts';

interface EndpointsOptions {
  readonly clock: Clock;
  readonly startedAt: number;
  readonly behaviours: ReadonlyMap<string, readonly BehaviourPhase[]>;
  readonly random: Random;
  readonly history: History;
  readonly timeoutMs: number;
  /** Decides in place of the behaviours. */
  readonly reaction?: (request: RequestFacts) => Behaviour;
}

/** The reaction of an endpoint to one request. */
interface Reaction {
  readonly isAccepted: boolean;
  readonly afterMs: number;
  /** Undefined if the endpoint never answers. */
  readonly outcome: RequestOutcome | undefined;
}

export const idHeader = 'X-Delivery-Id';

/** The URL of one version of a webhook. A request to it shows the version that it was built from. */
export function urlOf(webhookId: string, version: number): string {
  return `https://${webhookId}.example.com/${version}`;
}

/** The endpoints of all subscribers, with the behaviours of the scenario. */
export class Endpoints {
  readonly #options: EndpointsOptions;

  constructor(options: EndpointsOptions) {
    this.#options = options;
  }

  /** Creates the HTTP client of one process. Responses reach the process through its own clock. */
  clientOf(instance: string, process: ProcessClock): Sender {
    return { send: (request, listener) => this.#send(requestFactsOf(instance, request), process, listener) };
  }

  #send(facts: RequestFacts, process: ProcessClock, listener: RequestListener): InFlight {
    const { clock, random, history, timeoutMs } = this.#options;
    let hasEnded = false;
    history.add({ kind: 'sent', ...facts });
    const end = (outcome: RequestOutcome): void => {
      if (hasEnded) return;
      hasEnded = true;
      deadline[Symbol.dispose]();
      history.add({ kind: 'answered', ...facts, outcome: outcome.kind });
      listener.onOutcome(outcome);
    };
    const deadline = process.after(timeoutMs, () => end({ kind: 'timeout', message: 'no answer in time' }));
    clock.after(random.between(1, 30), () => {
      const { isAccepted, afterMs, outcome } = this.#react(facts);
      if (outcome?.kind !== 'connect_error') history.add({ kind: 'arrived', ...facts, isAccepted });
      if (outcome !== undefined) clock.after(afterMs, () => process.run(() => end(outcome)));
    });
    return { abort: () => end({ kind: 'draining' }) };
  }

  #react(request: RequestFacts): Reaction {
    const { clock, startedAt, behaviours, random, reaction } = this.#options;
    const { webhookId } = request;
    if (reaction !== undefined) return react(reaction(request), random);
    const ms = clock.now() - startedAt;
    const behaviour = behaviours.get(webhookId)?.findLast(({ fromMs }) => fromMs <= ms)?.kind ?? 'prompt';
    const isWorking = Math.floor(ms / 3000) % 2 === 0;
    return react(behaviour === 'flapping' ? flappingBehaviour(isWorking) : behaviour, random);
  }
}

function flappingBehaviour(isWorking: boolean): Behaviour {
  return isWorking ? 'prompt' : 'failing';
}

function react(behaviour: Behaviour, random: Random): Reaction {
  const soonMs = random.between(1, 60);
  switch (behaviour) {
    case 'prompt':
      return { isAccepted: true, afterMs: soonMs, outcome: { kind: 'delivered', status: 200 } };
    case 'slow':
      // Less than a rebalance waits for requests: a third of the session timeout of 10 s.
      return { isAccepted: true, afterMs: random.between(200, 3000), outcome: { kind: 'delivered', status: 202 } };
    case 'failing':
    case 'flapping':
      return {
        isAccepted: false,
        afterMs: soonMs,
        outcome: { kind: 'http_error', status: 500, retryAfterMs: undefined },
      };
    case 'refusing':
      return { isAccepted: false, afterMs: 0, outcome: { kind: 'connect_error', message: 'refused' } };
    case 'unresponsive':
      return { isAccepted: false, afterMs: 0, outcome: undefined };
    case 'rate_limiting': {
      const retryAfterMs = random.between(1, 30) * 1000;
      return { isAccepted: false, afterMs: soonMs, outcome: { kind: 'http_error', status: 429, retryAfterMs } };
    }
    case 'disconnecting':
      return { isAccepted: true, afterMs: soonMs, outcome: { kind: 'connection_lost', message: 'closed' } };
  }
}

function requestFactsOf(instance: string, { head, extraHeaders }: PreparedRequest): RequestFacts {
  const [webhookId = ''] = new URL(head.origin).hostname.split('.');
  const at = extraHeaders.indexOf(idHeader);
  return { instance, deliveryId: extraHeaders[at + 1] ?? '', webhookId, version: Number(head.path.slice(1)) };
}
