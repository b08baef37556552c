import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { circuitStates, type CircuitState } from '../flow/circuit.ts';
import { endpointHealths } from '../flow/endpoint-health.ts';
import { unlessAborted } from '../lib/aborted.ts';
import { get } from '../lib/http/http-request.ts';
import { oneLine } from '../lib/printable.ts';
import { parseStrictJson } from '../lib/strict-json.ts';
import type { HostAndPort } from '../settings.ts';
import type { EndpointsCommand } from './command.ts';
import { table, type Columns } from './terminal/columns.ts';
import type { Terminal } from './terminal/terminal.ts';
import { stopped, withSettings, type ExitCode } from './with-settings.ts';

/**
 * Asks all instances for their endpoints, and prints them merged. Returns exit code 1 if an instance does not answer, because
 * something may be missing then. Returns 2 if `ENDPOINTS_OF` is not set, or if no instance knows the configuration.
 */
export async function runEndpoints(command: EndpointsCommand, terminal: Terminal): Promise<ExitCode> {
  const { err, signal } = terminal;
  return withSettings(
    err,
    async ({ endpointsOf }): Promise<ExitCode> => {
      if (endpointsOf === undefined) {
        err('error: ENDPOINTS_OF is not set: expected host:port, where the host resolves to every instance');
        return 2;
      }
      const answers = await askInstances(endpointsOf, command.configurationId, signal);
      return signal.aborted ? stopped(terminal) : printAnswers(answers, command, terminal);
    },
    { needsKafka: false },
  );
}

/** Prints the endpoints of the instances that answered, and names the others. */
export function printAnswers(
  answers: readonly InstanceAnswer[],
  { configurationId, json }: EndpointsCommand,
  { out, err }: Pick<Terminal, 'out' | 'err'>,
): ExitCode {
  const answered = answers.filter((answer) => answer.kind === 'endpoints');
  const merged = mergeEndpoints(answered.flatMap(({ endpoints }) => endpoints));
  for (const line of json ? merged.map((endpoint) => JSON.stringify(endpoint)) : table(columns, merged)) out(line);
  for (const answer of answers)
    if (answer.kind === 'failed') err(`error: ${answer.address} does not answer: ${answer.reason}`);
  err(`addresses: ${answers.length}, answered: ${answered.length}, endpoints: ${merged.length}`);
  if (answered.length < answers.length) return 1;
  if (configurationId === undefined || merged.length > 0) return 0;
  err(`error: there is no configuration ${configurationId}`);
  return 2;
}

const columns: Columns<MergedEndpoint> = {
  CONFIGURATION: ({ configurationId }) => configurationId,
  OWNER: ({ ownerId }) => ownerId,
  HOST: ({ host }) => host,
  STATE: ({ state }) => state,
  CIRCUIT: ({ circuit }) => circuit,
  HEALTH: ({ health }) => health,
  FAILURES: ({ failures }) => failures,
  SINCE: ({ failingSince }) => failingSince,
  WAITING: ({ waiting }) => waiting,
  LAST: ({ lastOutcomeAt, lastOutcome, lastMessage }) =>
    [lastOutcomeAt, lastOutcome, lastMessage].filter((part) => part !== undefined).join(' ') || undefined,
};

export type InstanceEndpoint = z.infer<typeof instanceEndpoint>;

/** The fields of `/endpoints` that can be merged. Times are ISO 8601 in UTC, so their order is that of their texts. */
const instanceEndpoint = z.object({
  instance: z.string(),
  configurationId: z.string(),
  ownerId: z.string().optional(),
  state: z.string(),
  host: z.string().optional(),
  health: z.enum(endpointHealths),
  circuit: z.enum(circuitStates),
  failures: z.number(),
  failingSince: z.string().optional(),
  inFlight: z.number(),
  waiting: z.number(),
  limits: z.object({ inFlight: z.number().optional(), perMinute: z.number().optional() }).optional(),
  lastOutcome: z.string().optional(),
  lastStatus: z.number().optional(),
  lastMessage: z.string().optional(),
  lastOutcomeAt: z.string().optional(),
  certificateValidUntil: z.string().optional(),
});

/** The answer of the instance at an address, such as `10.0.0.1:8080`. */
export type InstanceAnswer =
  | { readonly kind: 'endpoints'; readonly address: string; readonly endpoints: readonly InstanceEndpoint[] }
  /** The reason is one line. */
  | { readonly kind: 'failed'; readonly address: string; readonly reason: string };

/** The limit of the name lookup, and of each request. An instance computes one answer after the other, with rests. */
const timeoutMs = 10_000;

/**
 * Asks all instances at once for the endpoints that need attention, or for that of one configuration. If the host can't be
 * resolved, returns that as the only answer.
 */
export async function askInstances(
  { host, port }: HostAndPort,
  configurationId: string | undefined,
  signal: AbortSignal,
): Promise<readonly InstanceAnswer[]> {
  const query = configurationId === undefined ? '' : `?configuration=${encodeURIComponent(configurationId)}`;
  try {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const found = await unlessAborted(timeout, lookup(host, { all: true }));
    const addresses = new Set(found.map(({ address }) => addressText({ host: address, port })));
    return await Promise.all([...addresses].map(async (address) => askInstance(address, query, signal)));
  } catch (error) {
    return [{ kind: 'failed', address: addressText({ host, port }), reason: reasonOf(error) }];
  }
}

async function askInstance(address: string, query: string, signal: AbortSignal): Promise<InstanceAnswer> {
  try {
    const { status, body } = await get(new URL(`http://${address}/endpoints${query}`), { timeoutMs, signal });
    if (status === 200) return parseEndpoints(address, body);
    return { kind: 'failed', address, reason: oneLine(`HTTP ${status}: ${body.toString()}`) };
  } catch (error) {
    return { kind: 'failed', address, reason: reasonOf(error) };
  }
}

function parseEndpoints(address: string, body: Buffer): InstanceAnswer {
  const json = parseStrictJson(body);
  const parsed = z.array(instanceEndpoint).safeParse(json.kind === 'json' ? json.value : undefined);
  if (parsed.success) return { kind: 'endpoints', address, endpoints: parsed.data };
  return { kind: 'failed', address, reason: 'its answer is not that of an instance of this version' };
}

function addressText({ host, port }: HostAndPort): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return oneLine(String(error));
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  return 'code' in error ? String(error.code) : oneLine(error.message);
}

export type MergedEndpoint = Omit<InstanceEndpoint, 'instance'>;

/** The order of severity, the least severe first. */
const circuits: readonly CircuitState[] = ['closed', 'half_open', 'open'];

/**
 * Merges the lists of all instances by configuration. Returns those with the most failures first, then those with the most
 * waiting deliveries.
 *
 * - Circuit and health are the worst ones. Failures are the most of one instance, since the earliest time.
 * - Deliveries in flight and waiting are summed.
 * - Outcome, host and state are those of the instance with the latest outcome.
 */
export function mergeEndpoints(endpoints: Iterable<InstanceEndpoint>): readonly MergedEndpoint[] {
  const merged = new Map<string, MergedEndpoint>();
  const listed = new Set<string>();
  for (const { instance, ...endpoint } of endpoints) {
    // An instance with an IPv4 and an IPv6 address is asked twice.
    const key = JSON.stringify([instance, endpoint.configurationId]);
    if (listed.has(key)) continue;
    listed.add(key);
    const known = merged.get(endpoint.configurationId);
    merged.set(endpoint.configurationId, known === undefined ? endpoint : mergeTwo(known, endpoint));
  }
  return [...merged.values()].toSorted(bySeverity);
}

function mergeTwo(one: MergedEndpoint, other: MergedEndpoint): MergedEndpoint {
  const latest = (other.lastOutcomeAt ?? '') > (one.lastOutcomeAt ?? '') ? other : one;
  return {
    ...latest,
    circuit: worst(circuits, one.circuit, other.circuit),
    health: worst(endpointHealths, one.health, other.health),
    failures: Math.max(one.failures, other.failures),
    failingSince: earliest(one.failingSince, other.failingSince),
    inFlight: one.inFlight + other.inFlight,
    waiting: one.waiting + other.waiting,
    certificateValidUntil: earliest(one.certificateValidUntil, other.certificateValidUntil),
  };
}

function earliest(one: string | undefined, other: string | undefined): string | undefined {
  return [one, other].filter((time) => time !== undefined).toSorted()[0];
}

function worst<T>(order: readonly T[], one: T, other: T): T {
  return order.indexOf(one) < order.indexOf(other) ? other : one;
}

function bySeverity(one: MergedEndpoint, other: MergedEndpoint): number {
  if (one.failures !== other.failures) return other.failures - one.failures;
  if (one.waiting !== other.waiting) return other.waiting - one.waiting;
  return one.configurationId < other.configurationId ? -1 : 1;
}
