import type { CircuitState } from '../../deliveries/gates/circuit.ts';
import type { EventSinks } from './event-sinks.ts';

export interface EndpointEvents {
  /** A TLS connection to an endpoint was opened. */
  connectionOpened(connection: { readonly resumed: boolean }): void;
  /** Endpoints are reached through a proxy from now on, and where names lead is its concern. `proxy`: without credentials. */
  egressDelegated(egress: { readonly proxy: string }): void;
  circuitChanged(change: { readonly webhookId: string; readonly from: CircuitState; readonly to: CircuitState }): void;
}

/** What happens between us and the endpoints, apart from the attempts. */
export function createEndpointEvents({ logger, metrics, warnOnce }: EventSinks): EndpointEvents {
  return {
    connectionOpened({ resumed }) {
      metrics.connectionsOpened.inc({ resumed: String(resumed) });
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
          // A probe that failed once more must not hide an endpoint that begins to fail.
          return warnOnce(`circuit.opened ${from}`, { event: 'circuit.opened', configurationId: webhookId, from });
        case 'half_open':
          return logger.debug({ event: 'circuit.probed', configurationId: webhookId, from });
        case 'closed':
          return logger.info({ event: 'circuit.closed', configurationId: webhookId, from });
      }
    },
  };
}
