import { owners } from '../subscribers/owners.ts';
import { circuitFailures, delays } from '../environment/service-environment.ts';
import type { DemoEnvironment } from '../environment/environment.ts';
import type { Result } from '../scenario/result.ts';
import { memoryLines } from '../../support/kafka/cluster/kafka-lacks.ts';
import type { Lack } from '../../support/programs/missing-programs.ts';
import { span, type Line } from './line.ts';

export const openingLines: readonly Line[] = [
  [],
  [span('certificate-webhooks', 'strong'), span('  demo', 'faint')],
  [span('Certificate events are produced to Kafka; the service posts each to the webhooks', 'faint')],
  [span('of its owner. One endpoint fails twice, one always: their retries wait for', 'faint')],
  [
    span(
      `${delays.join(', ')}. CIRCUIT_FAILURES is ${circuitFailures}: a circuit opens with the last failure.`,
      'faint',
    ),
  ],
  [],
];

/** Returns the first and the last lines of a demo on the memory broker: what it stands in for, and how to get that. */
export function brokerLines(lacks: readonly Lack[]): readonly Line[] {
  return lacks.length === 0 ? [] : memoryLines(lacks).map((line) => [span(line)]);
}

/** Returns the results of the delivery with most of them, as they stand in the results topic. */
export function historyLines(results: readonly Result[]): readonly Line[] {
  const deliveries = [...Map.groupBy(results, ({ deliveryId }) => deliveryId).values()];
  const [longest = []] = deliveries.toSorted((one, other) => other.length - one.length);
  return [
    [],
    [span('The results topic on one delivery', 'strong'), span(`  ${longest[0]?.deliveryId ?? ''}`, 'faint')],
    ...longest.map(({ at, type, attempt, outcome, status, settlement, reason }): Line => {
      const words = ['attempt', attempt, outcome, status, settlement ?? reason];
      return [span(`  ${at}  ${type.padEnd(24)}`, 'faint'), span(words.filter((word) => word !== undefined).join(' '))];
    }),
  ];
}

/** Returns what the example consumer tells the owner of an endpoint: that it fails, and the first of its dead letters. */
export function noticeLines(notices: readonly string[]): readonly Line[] {
  const shown = [...notices.filter((notice) => notice.includes('endpoint')), ...notices.slice(0, 1)];
  return [
    [],
    [span('What docs/examples/history.mjs makes of that topic, for the owner', 'strong')],
    ...shown.map((notice) => [span(`  ${notice}`)]),
    [span(`  and ${notices.length - shown.length} more`, 'faint')],
  ];
}

/** Returns the output of `try`, indented. */
export function tryLines(output: readonly string[]): readonly Line[] {
  return output.map((line) => [span(`    ${line}`)]);
}

/** Returns the lines printed at the end. */
export function metricsLines(url: string): readonly Line[] {
  return [
    [span('The metrics were at ', 'faint'), span(`${url}/metrics`), span(' while the service ran;', 'faint')],
    [span('npm run demo -- --keep', 'strong'), span(' keeps it running.', 'faint')],
    [],
  ];
}

/** Returns the addresses and commands for exploring a demo that keeps running. */
export function exploringLines({ brokers, names, endpoints, service }: DemoEnvironment): readonly Line[] {
  return [
    [],
    [span('Everything keeps running until Ctrl-C.', 'strong')],
    fact('metrics', `${service.url}/metrics`),
    fact('ready', `${service.url}/readyz`),
    fact('endpoints', `${service.url}/endpoints`),
    fact('brokers', brokers.join(',')),
    fact('topics', `${names.prefix}.*`),
    ...endpoints.map(({ subscriber, endpoint }) => fact(subscriber.name, endpoint.url('/certificates'))),
    [span('  To send another certificate, run this in the root of the repository:', 'faint')],
    [span('    npx node test/demo/send-certificate.ts \\')],
    [span(`      ${brokers.join(',')} \\`)],
    [span(`      ${names.completed} ${owners.summit.id}`)],
    [],
  ];
}

function fact(title: string, text: string): Line {
  return [span(`  ${title.padEnd(22)}`, 'faint'), span(text)];
}
