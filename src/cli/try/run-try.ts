import { addAbortListener } from 'node:events';
import { eventTypes, type EventType } from '../../certificates/certificate.ts';
import { failureOf } from '../../deliveries/attempt-result.ts';
import type { PreparedRequest } from '../../deliveries/request.ts';
import type { FindServers } from '../../http/dns/name-server.ts';
import type { HttpClient } from '../../http/http-client.ts';
import { watchRequests } from '../../http/request-watch.ts';
import type { RequestOutcome } from '../../deliveries/outcome.ts';
import { systemClock } from '../../lib/clock.ts';
import { createConfiguredHeads, createDeliveryClient } from '../../service/delivery-client.ts';
import { processEnvironment, type Settings } from '../../settings.ts';
import type { TryCommand } from '../command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { refuse, stopped, withKeys, type ExitCode } from '../with-settings.ts';
import { runConformance } from './conformance/run-conformance.ts';
import { findWebhook, type FoundWebhook } from './find-webhook.ts';
import { durationInWords, forecast } from './forecast.ts';
import { Phases } from './phases.ts';
import { createSample, planSample } from './sample.ts';

/** Runs `try` with the settings of the environment. Returns exit code 0 if the endpoint accepts the certificate. */
export async function runTry(command: TryCommand, terminal: Terminal): Promise<ExitCode> {
  const { target } = command;
  const source = processEnvironment()['WEBHOOK_CONFIGURATIONS']?.trim();
  const run: Parameters<typeof withKeys>[1] = async (settings, keys) => {
    try {
      const found = await findWebhook(target, { settings, keys, terminal });
      if (found.kind === 'found') return await tryWebhook(found, { command, settings, terminal });
      refuse(terminal.err, found.problems);
      return found.code;
    } catch (error) {
      if (!terminal.signal.aborted) throw error;
      return stopped(terminal);
    }
  };
  return withKeys(terminal, run, { needsKafka: target.kind === 'id' && source?.startsWith('file:') !== true });
}

interface TryOptions {
  readonly command: TryCommand;
  readonly settings: Settings;
  readonly terminal: Pick<Terminal, 'out' | 'signal'>;
  /** Returns the name servers to ask; by default those of the system. */
  readonly findServers?: FindServers;
}

/**
 * Sends a sample to the webhook, and prints what happens. Returns exit code 0 if the endpoint answers with a 2xx, or, for
 * `--conformance`, if the receiver has no fault.
 */
export async function tryWebhook(found: FoundWebhook, options: TryOptions): Promise<0 | 1> {
  const { command, settings, terminal, findServers } = options;
  const { out, signal } = terminal;
  const clock = systemClock;
  const { configuration } = found;
  const wanted = eventTypes.find((one) => configuration.events.includes(one)) ?? 'certificate_completed';
  const { eventType = wanted } = command;
  for (const line of introduction(found, eventType)) out(line);
  if (command.conformance)
    return runConformance({ webhook: found, eventType, settings, clock, signal, findServers }, terminal);
  const sample = createSample(configuration.ownerId, eventType, clock.now());
  const delivery = planSample(found, { sample, eventType, number: clock.now(), now: clock.now() });
  out(`sending: ${eventType}, the test certificate ${delivery.certificateId}, ${delivery.body.length} bytes`);
  const phases = new Phases({ clock, hasProxy: settings.egress.proxyUrl !== undefined, out });
  const { wrap: wrapSteps } = phases;
  await using client = createDeliveryClient({ settings, clock, events: noteEvents(out), findServers, wrapSteps });
  const heads = createConfiguredHeads(settings);
  const head = heads.headOf(configuration.endpoint);
  const request = { head, extraHeaders: heads.headersOf(delivery, head), body: delivery.body };
  const startedAt = clock.monotonic();
  const outcome = await sendObserved(client, request, phases, signal);
  const durationMs = Math.round(clock.monotonic() - startedAt);
  signal.throwIfAborted();
  for (const line of answerLines(outcome)) out(line);
  const message = failureOf(outcome)?.message;
  out(`outcome: ${outcome.kind} after ${durationMs} ms${message === undefined ? '' : `: ${message}`}`);
  const { retry, delivery: limits, circuit } = settings;
  const schedule = { delaysMs: retry.delaysMs, maxAgeMs: limits.maxAgeMs };
  for (const line of forecast(delivery, outcome, { schedule, circuit, now: clock.now() })) out(line);
  return outcome.kind === 'delivered' ? 0 : 1;
}

/** Names the webhook, without credentials, header values, path or query. */
function introduction({ id, configuration }: FoundWebhook, eventType: EventType): readonly string[] {
  const { ownerId, endpoint, enabled, paused, events } = configuration;
  const { url, authentication, customHeaders } = endpoint;
  const headers = Object.keys(customHeaders).length;
  return [
    `webhook: ${id} of owner ${ownerId}, ${url.origin}, authentication ${authentication.authType}, custom headers ${headers}`,
    ...(enabled ? [] : ['note: the configuration is not enabled: the service plans nothing for it']),
    ...(paused ? ['note: the configuration is paused: the service sends nothing to it'] : []),
    ...(events.includes(eventType) ? [] : [`note: the configuration does not want ${eventType}`]),
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

async function sendObserved(
  client: HttpClient,
  request: PreparedRequest,
  phases: Phases,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  using _watch = watchRequests(request.head.origin, {
    onWritten: () => phases.requestWritten(request.body.length),
    onHead: () => phases.headRead(),
  });
  const { promise, resolve } = Promise.withResolvers<RequestOutcome>();
  const inFlight = client.send(request, { onOutcome: resolve, onExceeded: () => undefined });
  using _listener = addAbortListener(signal, () => inFlight.abort());
  const outcome = await promise;
  phases.finish();
  return outcome;
}

function answerLines(outcome: RequestOutcome): readonly string[] {
  if (!('status' in outcome)) return [];
  const retryAfterMs = outcome.kind === 'http_error' ? outcome.retryAfterMs : undefined;
  const retryAfter = retryAfterMs === undefined ? '' : `, Retry-After ${durationInWords(retryAfterMs)}`;
  return [`answer: status ${outcome.status}${retryAfter}`];
}
