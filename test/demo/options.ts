import { parseArgs } from 'node:util';

export type Options =
  | { readonly kind: 'run'; readonly keep: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistaken'; readonly problem: string };

export const usage = `Usage: npm run demo [-- OPTIONS]

Shows the service at work: certificate events go into a real Kafka, the service
posts them to local HTTPS endpoints, and what it does is compared with what it
promises. Ends by itself: 0 when every check is ok, 1 when one failed.

  --keep   leaves everything running after the checks, for exploring
  --help   prints this

Kafka is the cluster that KAFKA_BROKERS names (without TLS or a login; the demo
makes topics of its own there and deletes them again), else one that is started
on this machine. Ctrl-C cleans up at any time. NO_COLOR or CI: plain lines.`;

export function parseOptions(words: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { keep: { type: 'boolean' }, help: { type: 'boolean' } },
    });
    return values.help === true ? { kind: 'help' } : { kind: 'run', keep: values.keep === true };
  } catch (error) {
    return { kind: 'mistaken', problem: error instanceof Error ? error.message : 'the options can not be read' };
  }
}
