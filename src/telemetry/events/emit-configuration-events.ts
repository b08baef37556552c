import { maxIdBytes } from '../../certificates/id.ts';
import { oneLine } from '../../lib/one-line.ts';
import type { EventSinks } from './event-sinks.ts';

export interface ConfigurationEvents {
  /** A configuration was invalid. The problems name fields and expectations, never the values found. */
  configurationRefused(refused: {
    readonly id: string;
    readonly ownerId: string | undefined;
    readonly problems: readonly string[];
  }): void;
  /** The configuration files were read again. `configurations` is their number now. */
  configurationsReloaded(reloaded: { readonly configurations: number }): void;
  /** The keys that open sealed configurations were read again. `keys` is their number now. */
  keysReloaded(reloaded: { readonly keys: number }): void;
  /** The configuration files or the keys could not be read. The last good set stays in use. */
  configurationReloadFailed(failure: { readonly path: string; readonly reason: string }): void;
}

/** Creates the events about webhook configurations and the keys of sealed ones. */
export function createConfigurationEvents({ logger, metrics }: EventSinks): ConfigurationEvents {
  return {
    configurationRefused({ id, ownerId, problems }) {
      // The id is the key of its record, which may be as long as a record.
      const configurationId = id.slice(0, maxIdBytes);
      logger.warn({ event: 'configuration.refused', configurationId, ownerId, problems: problems.map(oneLine) });
    },
    configurationsReloaded({ configurations }) {
      logger.info({ event: 'configurations.reloaded', configurations });
    },
    keysReloaded({ keys }) {
      logger.info({ event: 'keys.reloaded', keys });
    },
    configurationReloadFailed({ path, reason }) {
      metrics.configurationReloadFailures.inc({});
      logger.warn({ event: 'configurations.reload_failed', path, failure: oneLine(reason) });
    },
  };
}
