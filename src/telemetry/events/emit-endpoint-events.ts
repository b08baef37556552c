import type { EndpointChange } from '../../deliveries/gates/gates.ts';
import type { ReceiveLimit } from '../../deliveries/http/tls/received-bytes.ts';
import type { EventSinks } from './event-sinks.ts';

export interface EndpointEvents {
  /** A TLS connection to an endpoint was opened. */
  connectionOpened(connection: { readonly resumed: boolean }): void;
  /** The host name of an endpoint led to more addresses than are taken. `count` is the number of the others. */
  addressesDropped(dropped: { readonly count: number }): void;
  /** A connection was closed because its endpoint sent more than it may. */
  connectionCut(cut: { readonly limit: ReceiveLimit }): void;
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
    egressDelegated({ proxy }) {
      logger.info({
        event: 'egress.delegated',
        proxy,
        policy: 'the proxy resolves names and answers for the addresses; ports and literal addresses are checked here',
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
