import { status, type Answer } from '../../support/endpoints/answers.ts';
import type { Authority } from '../../support/tls/authority.ts';
import { startEndpoint, type Endpoint } from '../../support/endpoints/endpoint.ts';
import type { Behaviour, Subscriber } from './subscribers.ts';

/** A subscriber with its TLS server. */
export interface SubscriberEndpoint {
  readonly subscriber: Subscriber;
  readonly endpoint: Endpoint;
}

/** Starts one server for each subscriber, on free ports of this machine. */
export async function startEndpoints(
  subscribers: readonly Subscriber[],
  authority: Authority,
  stack: AsyncDisposableStack,
): Promise<readonly SubscriberEndpoint[]> {
  return Promise.all(
    subscribers.map(async (subscriber) => ({
      subscriber,
      endpoint: stack.use(
        await startEndpoint({ identity: authority.issue(), answers: [answerOf(subscriber.behaviour)] }),
      ),
    })),
  );
}

export function answerOf(behaviour: Behaviour): Answer {
  switch (behaviour) {
    case 'works':
      return status(200);
    case 'fails_twice':
      return failFirst(2);
    case 'always_fails':
      return status(500);
  }
}

/** Answers 503 to the first requests with the same body, and 200 to later ones. */
function failFirst(times: number): Answer {
  const refusals = new Map<string, number>();
  return (exchange) => {
    const body = exchange.request.body.toString('utf8');
    const refused = refusals.get(body) ?? 0;
    refusals.set(body, refused + 1);
    status(refused < times ? 503 : 200)(exchange);
  };
}
