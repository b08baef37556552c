import { oneLine } from '../../lib/one-line.ts';
import type { EventSinks } from './event-sinks.ts';

export interface ConfigurationEvents {
  /** The problems name fields and what is expected there, never what stands there. */
  configurationRefused(refused: {
    readonly id: string;
    readonly ownerId: string | undefined;
    readonly problems: readonly string[];
  }): void;
  /** The configuration files were read again; `configurations` is how many there are now. */
  configurationsReloaded(reloaded: { readonly configurations: number }): void;
  /** The keys that open sealed configurations were read again; `keys` is how many there are now. */
  keysReloaded(reloaded: { readonly keys: number }): void;
  /** The files, or the keys, could not be read: the last good set is kept. */
  configurationReloadFailed(failure: { readonly path: string; readonly reason: string }): void;
}

/** What happens to the webhook configurations. */
export function createConfigurationEvents({ logger, metrics }: EventSinks): ConfigurationEvents {
  return {
    configurationRefused({ id, ownerId, problems }) {
      logger.warn({ event: 'configuration.refused', configurationId: id, ownerId, problems: problems.map(oneLine) });
    },
    configurationsReloaded({ configurations }) {
      logger.info({ event: 'configurations.reloaded', configurations });
    },
    keysReloaded({ keys }) {
      logger.info({ event: 'keys.reloaded', keys });
    },
    configurationReloadFailed({ path, reason }) {
      metrics.configurationReloadFailures.inc();
      logger.warn({ event: 'configurations.reload_failed', path, failure: oneLine(reason) });
    },
  };
}
