import { owners } from '../subscribers/owners.ts';
import { circuitFailures, delays } from '../environment/service-environment.ts';
import type { Stage } from '../environment/environment.ts';
import { span, type Line } from './line.ts';

export const openingLines: readonly Line[] = [
  [],
  [span('certificate-webhooks', 'strong'), span('  the demo', 'faint')],
  [span('Certificate events go into Kafka; the service posts each to the webhooks of its', 'faint')],
  [span('owner. One endpoint fails twice, one always: their retries wait in tiers of', 'faint')],
  [span(`${delays.join(', ')}. CIRCUIT_FAILURES is ${circuitFailures}, so that no circuit opens on them.`, 'faint')],
  [],
];

/** Once all is over. */
export function metricsLines(url: string): readonly Line[] {
  return [
    [span('The metrics were at ', 'faint'), span(`${url}/metrics`), span(' while the service ran;', 'faint')],
    [span('npm run demo -- --keep', 'strong'), span(' leaves it running.', 'faint')],
    [],
  ];
}

/** For who looks around. */
export function exploringLines({ brokers, names, endpoints, service }: Stage): readonly Line[] {
  return [
    [],
    [span('It is left running; Ctrl-C ends it.', 'strong')],
    fact('metrics', `${service.url}/metrics`),
    fact('ready', `${service.url}/readyz`),
    fact('endpoints', `${service.url}/endpoints`),
    fact('brokers', brokers.join(',')),
    fact('topics', `${names.prefix}.*`),
    ...endpoints.map(({ subscriber, endpoint }) => fact(subscriber.name, endpoint.url('/certificates'))),
    [span('  Another certificate, from the folder of this package:', 'faint')],
    [span('    npx node test/demo/send-certificate.ts \\')],
    [span(`      ${brokers.join(',')} \\`)],
    [span(`      ${names.completed} ${owners.summit.id}`)],
    [],
  ];
}

function fact(title: string, text: string): Line {
  return [span(`  ${title.padEnd(22)}`, 'faint'), span(text)];
}
