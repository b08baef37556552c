import { deployment, kept, ours, text } from '../promql.ts';
import { recorded } from '../recordings.ts';
import type { Alert } from '../rule.ts';

const byDeployment = `by (${deployment})`;
const attempts = (...matchers: readonly string[]): string => ours('delivery_attempts_total', ...matchers);

/** What becomes of deliveries, as far as it is not one subscriber's own affair. */
export const deliveryAlerts: readonly Alert[] = [
  {
    name: 'ManyEndpointsFailing',
    severity: 'page',
    for: '5m',
    expression: manyEndpointsFailing(),
    summary: 'Deliveries to many endpoints fail at once.',
    description: text`
      Many more endpoints fail than usual, or no delivery has succeeded for half an hour, or requests fail on our side.
      That is hardly each subscriber's own fault. Look which outcome grows (dns_error, connect_error, tls_error, timeout,
      blocked, local_error): the name service, the way out, the clock or the certificate authorities of the instances.
      /endpoints lists those that fail; one owner with many webhooks shows there.
    `,
  },
  {
    name: 'DeadLetters',
    severity: 'ticket',
    for: '5m',
    expression: deadLetters(),
    summary: 'Dead letters: {{ $labels.reason }}.',
    description: text`
      Certificates went to the dead-letter topic, where they wait for a person. For exhausted and expired, find the
      subscriber (log line delivery.dead_lettered) and replay them once its endpoint works. Undecodable and invalid records are
      the producer's to mend (log line record.rejected); an internal error is a defect of this service.
    `,
  },
];

/**
 * An endpoint that fails opens its circuit after a few requests, however many certificates there are for it: so one
 * subscriber counts as one, and makes some thirty attempts in half an hour at most. In turn:
 *
 * Five more circuits are open than in nine tenths of the last day, twice as many, and a tenth of all others. Endpoints that
 * have been dead for long are usual, and after a restart they open their circuits anew.
 *
 * Nothing was delivered, although there was something to deliver for several.
 *
 * Requests fail before they leave.
 */
function manyEndpointsFailing(): string {
  const open = kept(recorded.openEndpoints);
  const usual = kept(recorded.usuallyOpenEndpoints);
  const closed = `sum ${byDeployment} (${ours('endpoints', 'circuit="closed"')})`;
  const failedHere = `sum ${byDeployment} (increase(${ours('deliveries_deferred_total', 'reason="local_error"')}[15m]))`;
  return text`
    (
      (${open} - ${usual})
      / (${open} - ${usual} + ${closed})
      > 0.1 # threshold
      and
      ${open} - ${usual} >= 5
      and
      ${open} >= 2 * ${usual}
    )
    or
    (
      sum ${byDeployment} (increase(${attempts('attempt="first"')}[30m])) >= 50
      and
      sum ${byDeployment} (increase(${attempts('outcome="delivered"')}[30m])) == 0
    )
    or
    (
      ${failedHere} >= 10
      and
      ${failedHere} > 0.1 * sum ${byDeployment} (increase(${attempts()}[15m]))
    )
  `;
}

/**
 * A record that could not be handled is one too many. A delivery that a subscriber did not take for days is that
 * subscriber's, until there are too many of them.
 */
function deadLetters(): string {
  const unread = ours('dead_letters_total', 'reason!~"exhausted|expired"');
  const untaken = ours('dead_letters_total', 'reason=~"exhausted|expired"');
  const buried = `sum ${byDeployment} (increase(${untaken}[6h]))`;
  const delivered = `sum ${byDeployment} (increase(${attempts('outcome="delivered"')}[6h]))`;
  return text`
    sum by (${deployment}, reason) (increase(${unread}[1h])) > 0
    or
    label_replace(
      ${buried}
      / (${buried} + ${delivered})
      > 0.01 # threshold
      , "reason", "exhausted or expired", "", ""
    )
  `;
}
