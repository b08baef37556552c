import { deployment, recordedSeries, serviceMetric, text } from '../promql.ts';
import { recorded } from '../recordings.ts';
import type { Alert } from '../rule.ts';

const byDeployment = `by (${deployment})`;
const attempts = (...matchers: readonly string[]): string => serviceMetric('delivery_attempts_total', ...matchers);

/** Alerts about failed deliveries that one subscriber alone cannot cause. */
export const deliveryAlerts: readonly Alert[] = [
  {
    name: 'ManyEndpointsFailing',
    severity: 'page',
    for: '5m',
    expression: manyEndpointsFailing(),
    summary: 'Deliveries to many endpoints fail at once.',
    description: text`
      Many more endpoints fail than usual, or some more and no delivery succeeds at all, or requests fail on our side.
      So many subscribers rarely fail independently. Check which outcome grows (dns_error, connect_error, tls_error,
      timeout, blocked, local_error). Then check DNS, the outbound network, and the clock and certificate authorities of
      the instances. /endpoints lists the failing endpoints, and shows one owner with many webhooks.
    `,
  },
  {
    name: 'DeadLetters',
    severity: 'ticket',
    for: '5m',
    expression: deadLetters(),
    summary: 'Dead letters: {{ $labels.reason }}.',
    description: text`
      Certificates went to the dead-letter topic, and a person must handle them. For exhausted and expired, find the
      subscriber (log line delivery.dead_lettered) and replay them once its endpoint works. The producer must fix
      undecodable and invalid records (log line record.rejected). An internal error is a defect of this service.
    `,
  },
];

/**
 * Fires on any of these three conditions:
 *
 * - Far more circuits are open than usual: five more, twice as many, and a tenth of those that are usually closed. The
 *   usual number is the 90th percentile of the last day. It covers endpoints that have long been dead and open their
 *   circuits again after a restart.
 * - At least three more endpoints fail than usual, and nothing was delivered for ten minutes although it was tried. With few
 *   certificates an endpoint fails too seldom to open its circuit.
 * - Requests fail on our side.
 *
 * One subscriber counts once, however many certificates it gets.
 */
function manyEndpointsFailing(): string {
  const open = recordedSeries(recorded.openEndpoints);
  const usual = recordedSeries(recorded.usuallyOpenEndpoints);
  const closed = `sum ${byDeployment} (${serviceMetric('endpoints', 'circuit="closed"')})`;
  const localErrors = `sum ${byDeployment} (increase(${serviceMetric('deliveries_deferred_total', 'reason="local_error"')}[15m]))`;
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
      ${recordedSeries(recorded.failingEndpoints)} - ${recordedSeries(recorded.usuallyFailingEndpoints)} >= 3
      and
      sum ${byDeployment} (increase(${attempts()}[10m])) > 0
      and
      sum ${byDeployment} (increase(${attempts('outcome="delivered"')}[10m])) == 0
    )
    or
    (
      ${localErrors} >= 10
      and
      ${localErrors} > 0.1 * sum ${byDeployment} (increase(${attempts()}[15m]))
    )
  `;
}

/**
 * Fires on any record that could not be processed. Fires on exhausted and expired deliveries only if there are too many.
 * A few are the fault of single subscribers.
 */
function deadLetters(): string {
  const unprocessed = serviceMetric('dead_letters_total', 'reason!~"exhausted|expired"');
  const undelivered = serviceMetric('dead_letters_total', 'reason=~"exhausted|expired"');
  const deadLettered = `sum ${byDeployment} (increase(${undelivered}[6h]))`;
  const delivered = `sum ${byDeployment} (increase(${attempts('outcome="delivered"')}[6h]))`;
  return text`
    sum by (${deployment}, reason) (increase(${unprocessed}[1h])) > 0
    or
    label_replace(
      ${deadLettered}
      / (${deadLettered} + ${delivered})
      > 0.01 # threshold
      , "reason", "exhausted or expired", "", ""
    )
  `;
}
