import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { circuitStates } from '../../flow/circuit.ts';
import { endpointHealths } from '../../flow/endpoint-health.ts';
import { unlessAborted } from '../../lib/aborted.ts';
import { get } from '../../lib/http/http-request.ts';
import { oneLine } from '../../lib/one-line.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import type { HostAndPort } from '../../settings.ts';

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
