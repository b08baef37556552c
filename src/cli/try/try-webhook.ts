import type { PreparedRequest } from '../../deliveries/request.ts';
import { eventTypes, type EventType } from '../../certificates/certificate.ts';
import { failureOf } from '../../deliveries/attempt-result.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { HttpClient } from '../../http/http-client.ts';
import type { FindServers } from '../../http/dns/name-server.ts';
import { watchRequests } from '../../http/request-watch.ts';
import type { RequestOutcome } from '../../deliveries/outcome.ts';
import { systemClock, type Clock } from '../../lib/clock.ts';
import { createConfiguredHeads, createDeliveryClient } from '../../service/delivery-client.ts';
import type { Settings } from '../../settings.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { runConformance } from './conformance/run-conformance.ts';
import type { TargetConfiguration, FoundWebhook } from './target/find-webhook.ts';
import { durationInWords, forecast } from './forecast.ts';
import { Phases } from './phases.ts';
import { createSample } from './target/sample-certificate.ts';
import { planSample } from './target/sample-delivery.ts';
import type { TryCommand } from './try-command.ts';

interface TryOptions {
  readonly command: TryCommand;
  readonly settings: Settings;
  readonly terminal: Pick<Terminal, 'out' | 'signal'>;
  /** Returns the name servers to ask; by default those of the system. */
  readonly findServers?: FindServers;
}

type Found = Extract<FoundWebhook, { readonly kind: 'found' }>;

/**
 * Sends a sample to the webhook, and prints what happens. Returns exit code 0 if the endpoint answers with a 2xx, or, for
 * `--conformance`, if the receiver has no fault.
 */
export async function tryWebhook(found: Found, options: TryOptions): Promise<0 | 1> {
  const { command, settings, terminal, findServers } = options;
  const { out, signal } = terminal;
  const clock = systemClock;
  const { configuration } = found;
  const eventType = command.eventType ?? firstWanted(configuration);
  for (const line of introduction(found, eventType)) out(line);
  if (command.conformance)
    return runConformance({ webhook: found, eventType, settings, clock, signal, findServers }, terminal);
  const sample = createSample({ ownerId: configuration.ownerId, eventType, now: clock.now() });
  const delivery = planSample(found, { sample, eventType, number: clock.now(), now: clock.now() });
  out(`sending: ${eventType}, the test certificate ${delivery.certificateId}, ${delivery.body.length} bytes`);
  const phases = new Phases({ clock, hasProxy: settings.egress.proxyUrl !== undefined, out });
  await using client = createDeliveryClient({
    settings,
    clock,
    events: noteEvents(out),
    findServers,
    wrapSteps: phases.wrap,
  });
  const heads = createConfiguredHeads(settings);
  const head = heads.headOf(configuration.endpoint);
  const request = { head, extraHeaders: heads.headersOf(delivery, head), body: delivery.body };
  const startedAt = clock.monotonic();
  const outcome = await sendObserved(client, { request, phases, signal });
  const durationMs = Math.round(clock.monotonic() - startedAt);
  signal.throwIfAborted();
  for (const line of conclusion({ delivery, outcome, durationMs, settings, clock })) out(line);
  return outcome.kind === 'delivered' ? 0 : 1;
}

function firstWanted({ events }: TargetConfiguration): EventType {
  return eventTypes.find((eventType) => events.includes(eventType)) ?? 'certificate_completed';
}

/** Names the webhook, without credentials, header values, path or query. */
function introduction({ id, configuration }: Found, eventType: EventType): readonly string[] {
  const { ownerId, endpoint, enabled, paused, events } = configuration;
  const { url, authentication, customHeaders } = endpoint;
  const headers = Object.keys(customHeaders).length;
  const notes = [
    ...(enabled ? [] : ['note: the configuration is not enabled: the service plans nothing for it']),
    ...(paused ? ['note: the configuration is paused: the service sends nothing to it'] : []),
    ...(events.includes(eventType) ? [] : [`note: the configuration does not want ${eventType}`]),
  ];
  return [
    `webhook: ${id} of owner ${ownerId}, ${url.origin}, authentication ${authentication.authType}, custom headers ${headers}`,
    ...notes,
  ];
}

function noteEvents(out: (line: string) => void): Parameters<typeof createDeliveryClient>[0]['events'] {
  return {
    connectionOpened: () => undefined,
    egressDelegated: ({ proxy }) =>
      out(`note: through the proxy ${proxy}, which resolves the name and decides about addresses`),
    addressesDropped: ({ count }) => out(`note: ${count} further addresses of the name are left out`),
    connectionCut: ({ limit }) =>
      out(`note: the connection is cut, because the endpoint exceeds the limit of ${limit}`),
    handshakeUnanswered: ({ end }) => out(`note: the TLS handshake ended without an answer (${end})`),
  };
}

interface ObservedOptions {
  readonly request: PreparedRequest;
  readonly phases: Phases;
  readonly signal: AbortSignal;
}

async function sendObserved(client: HttpClient, { request, phases, signal }: ObservedOptions): Promise<RequestOutcome> {
  using _watch = watchRequests(request.head.origin, {
    onWritten: () => phases.requestWritten(request.body.length),
    onHead: () => phases.headRead(),
  });
  const { promise, resolve } = Promise.withResolvers<RequestOutcome>();
  const inFlight = client.send(request, { onOutcome: resolve, onExceeded: () => undefined });
  const abort = (): void => inFlight.abort();
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    const outcome = await promise;
    phases.finish();
    return outcome;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

interface ConclusionOptions {
  readonly delivery: Delivery;
  readonly outcome: RequestOutcome;
  readonly durationMs: number;
  readonly settings: Settings;
  readonly clock: Clock;
}

function conclusion({ delivery, outcome, durationMs, settings, clock }: ConclusionOptions): readonly string[] {
  const { retry, delivery: limits, circuit } = settings;
  const schedule = { delaysMs: retry.delaysMs, maxAgeMs: limits.maxAgeMs };
  const message = failureOf(outcome)?.message;
  return [
    ...answerLines(outcome),
    `outcome: ${outcome.kind} after ${durationMs} ms${message === undefined ? '' : `: ${message}`}`,
    ...forecast(delivery, outcome, { schedule, circuit, now: clock.now() }),
  ];
}

function answerLines(outcome: RequestOutcome): readonly string[] {
  if (!('status' in outcome)) return [];
  const retryAfterMs = outcome.kind === 'http_error' ? outcome.retryAfterMs : undefined;
  const retryAfter = retryAfterMs === undefined ? '' : `, Retry-After ${durationInWords(retryAfterMs)}`;
  return [`answer: status ${outcome.status}${retryAfter}`];
}
