import { BrokerError } from '../../../simulation/broker/errors.ts';

/** The settings of topics that tests use, with the defaults of Apache Kafka. */
const defaults = {
  'cleanup.policy': 'delete',
  'compression.type': 'producer',
  'delete.retention.ms': '86400000',
  'max.compaction.lag.ms': '9223372036854775807',
  'max.message.bytes': '1048588',
  'message.timestamp.type': 'CreateTime',
  'min.cleanable.dirty.ratio': '0.5',
  'min.compaction.lag.ms': '0',
  'min.insync.replicas': '1',
  'retention.bytes': '-1',
  'retention.ms': '604800000',
  'segment.bytes': '1073741824',
  'segment.ms': '604800000',
  'unclean.leader.election.enable': 'false',
} as const;

type SettingName = keyof typeof defaults;
type Settings = ReadonlyMap<SettingName, string>;

interface Setting {
  readonly name: string;
  readonly value: string;
  readonly isDefault: boolean;
}

/** The settings of each topic, by its name. */
export class TopicSettings {
  readonly #byTopic = new Map<string, Settings>();

  /** Replaces all settings of the topic. Throws `INVALID_CONFIG` for a name or value that Kafka does not have. */
  set(topic: string, entries: readonly { readonly name: string; readonly value: string | null }[]): void {
    this.#byTopic.set(topic, parse(entries));
  }

  forget(topic: string): void {
    this.#byTopic.delete(topic);
  }

  of(topic: string, name: SettingName): string {
    return this.#byTopic.get(topic)?.get(name) ?? defaults[name];
  }

  /** Returns the settings of these names, or all. Unknown names are left out. */
  list(topic: string, names: readonly string[] | null): readonly Setting[] {
    const set = this.#byTopic.get(topic);
    return (Object.keys(defaults) as SettingName[])
      .filter((name) => names?.includes(name) !== false)
      .map((name) => ({ name, value: this.of(topic, name), isDefault: set?.has(name) !== true }));
  }
}

/** Checks settings without keeping them. */
export function parse(entries: readonly { readonly name: string; readonly value: string | null }[]): Settings {
  return new Map(
    entries.map(({ name, value }) => {
      if (!isSettingName(name) || value === null || !isValid(name, value)) throw new BrokerError('INVALID_CONFIG');
      return [name, value];
    }),
  );
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(defaults, name);
}

function isValid(name: SettingName, value: string): boolean {
  if (name === 'cleanup.policy') return value.split(',').every((policy) => ['delete', 'compact'].includes(policy));
  return Number.isNaN(Number(defaults[name])) || (value !== '' && !Number.isNaN(Number(value)));
}
