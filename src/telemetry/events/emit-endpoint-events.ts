import type { EndpointChange } from '../../flow/gates.ts';
import type { CertificateEvents } from '../../deliveries/certificate-watch.ts';
import type { HttpClientEvents } from '../../http/http-client.ts';
import type { EventSinks } from './event-sinks.ts';

export interface EndpointEvents extends HttpClientEvents, CertificateEvents {
  /** Endpoints are reached through a proxy, which resolves their names. `proxy` holds no credentials. */
  egressDelegated(egress: { readonly proxy: string }): void;
  circuitChanged(change: Pick<EndpointChange, 'webhookId' | 'from' | 'to'>): void;
}

/** Creates the events about connections, the egress proxy and circuits. Attempts are pipeline events. */
export function createEndpointEvents({ logger, metrics, warnSampled }: EventSinks): EndpointEvents {
  return {
    connectionOpened({ resumed }) {
      metrics.connectionsOpened.inc({ resumed: String(resumed) });
    },
    addressesDropped({ count }) {
      metrics.addressesDropped.inc({}, count);
    },
    connectionCut({ limit }) {
      metrics.connectionsCut.inc({ limit });
    },
    handshakeUnanswered({ end }) {
      metrics.handshakesUnanswered.inc({ end });
    },
    egressDelegated({ proxy }) {
      logger.info({
        event: 'egress.delegated',
        proxy,
        policy: 'the proxy resolves names and answers for the addresses; ports and literal addresses are checked here',
      });
    },
    certificateExpiring({ webhookId, ownerId, validUntil }) {
      warnSampled('endpoint.certificate_expiring', {
        event: 'endpoint.certificate_expiring',
        configurationId: webhookId,
        ownerId,
        validUntil: new Date(validUntil).toISOString(),
      });
    },
    circuitChanged({ webhookId, from, to }) {
      metrics.circuitTransitions.inc({ circuit: to });
      switch (to) {
        case 'open':
          // Sampled by the state before, so that failed probes do not hide an endpoint that starts to fail.
          return warnSampled(`circuit.opened ${from}`, { event: 'circuit.opened', configurationId: webhookId, from });
        case 'half_open':
          return logger.debug({ event: 'circuit.probed', configurationId: webhookId, from });
        case 'closed':
          return logger.info({ event: 'circuit.closed', configurationId: webhookId, from });
      }
    },
  };
}
