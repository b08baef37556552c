import { parseArgs } from 'node:util';

type Options =
  | { readonly kind: 'run'; readonly keep: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistaken'; readonly problem: string };

export const usage = `Usage: npm run demo [-- OPTIONS]

Runs the service with a real Kafka: certificate events are produced, the service
posts them to local HTTPS endpoints, and its behaviour is compared with what it
promises. Exits by itself: 0 when every check is ok, 1 when one failed.

  --keep   keeps everything running after the checks, for you to explore
  --help   prints this

Kafka is the cluster in KAFKA_BROKERS (without TLS or a login; the demo creates
its own topics there and deletes them at the end). Otherwise it is started on
this machine, in a container or with Java. Without both, a broker in memory
stands in. Ctrl-C cleans up at any time. NO_COLOR or CI: plain lines.`;

export function parseOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { keep: { type: 'boolean' }, help: { type: 'boolean' } },
    });
    return values.help === true ? { kind: 'help' } : { kind: 'run', keep: values.keep === true };
  } catch (error) {
    return { kind: 'mistaken', problem: error instanceof Error ? error.message : 'the options cannot be parsed' };
  }
}
