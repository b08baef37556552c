import { maxIdBytes } from '../../certificates/id.ts';
import { oneLine } from '../../lib/one-line.ts';
import type { DirectoryEvents } from '../../webhooks/directory.ts';
import type { FileSourceEvents } from '../../webhooks/files/file-source.ts';
import type { KeysFileEvents } from '../../webhooks/files/keys-file.ts';
import type { EventSinks } from './event-sinks.ts';

export type ConfigurationEvents = DirectoryEvents & FileSourceEvents & KeysFileEvents;

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
