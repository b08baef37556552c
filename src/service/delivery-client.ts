import {
  createEgress,
  createHttpClient,
  type Egress,
  type EgressOptions,
  type HttpClient,
  type HttpClientEvents,
} from '../http/http-client.ts';
import { proxyOrigin } from '../http/proxy-route.ts';
import { createRequestHeads, type RequestHeads } from '../deliveries/request.ts';
import type { Clock } from '../lib/clock.ts';
import { freshSecret, type Settings } from '../settings.ts';

interface DeliveryClientOptions extends Pick<EgressOptions, 'findServers' | 'wrapSteps'> {
  readonly settings: Settings;
  readonly events: DeliveryClientEvents;
  readonly clock: Clock;
  /** An egress of `createDeliveryEgress` that the client shares with others. */
  readonly egress?: Egress;
}

export interface DeliveryClientEvents extends HttpClientEvents {
  /** Names are resolved by a proxy, which also decides about addresses. */
  egressDelegated(delegated: { readonly proxy: string }): void;
}

/** Creates the client for requests to endpoints, with the timeouts, the egress policy and the proxy of the settings. */
export function createDeliveryClient(options: DeliveryClientOptions): HttpClient {
  const { timeoutMs, maxIdleConnections } = options.settings.delivery;
  return createHttpClient({ timeoutMs, maxIdleConnections, egress: options.egress, ...egressOptions(options) });
}

/** Creates the way to endpoints that such a client takes, for connections that the caller writes to. */
export function createDeliveryEgress(options: DeliveryClientOptions): Egress {
  return createEgress(egressOptions(options));
}

function egressOptions({ settings, events, clock, findServers, wrapSteps }: DeliveryClientOptions): EgressOptions {
  const { delivery, egress } = settings;
  const { proxyUrl } = egress;
  if (proxyUrl !== undefined) events.egressDelegated({ proxy: proxyOrigin(proxyUrl.value) });
  return {
    connectTimeoutMs: delivery.connectTimeoutMs,
    allowedPorts: egress.allowedPorts,
    allowedNetworks: egress.allowedNetworks ?? [],
    deniedNetworks: egress.deniedNetworks,
    certificateAuthorities: egress.certificateAuthorities === undefined ? [] : [egress.certificateAuthorities.value],
    proxyUrl: proxyUrl && freshSecret(proxyUrl),
    events,
    clock,
    findServers,
    wrapSteps,
  };
}

export function createConfiguredHeads({ delivery }: Settings): RequestHeads {
  const { userAgent, eventTypeHeader, idHeader: deliveryIdHeader } = delivery;
  return createRequestHeads({ userAgent, eventTypeHeader, deliveryIdHeader });
}
