import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { propertiesText } from '../../support/kafka/cluster/broker-properties.ts';
import { classFlags, downloadJars, prepareDistribution } from '../../support/kafka/cluster/distribution.ts';
import { startJava } from '../../support/kafka/cluster/java.ts';

interface MirrorOptions {
  /** The text of the properties file, with the addresses of both clusters. */
  readonly properties: string;
  /** The folder of its files. */
  readonly folder: string;
}

/** MirrorMaker 2 in a process of its own. Disposing it ends the process. */
interface Mirror extends AsyncDisposable {
  /** Suspends the process, so that the mirror falls behind. */
  freeze(): void;
  thaw(): void;
}

/** Starts the MirrorMaker of the Kafka that tests run on. */
export async function startMirror({ properties, folder }: MirrorOptions): Promise<Mirror> {
  const silent = (): void => undefined;
  const distribution = await prepareDistribution(silent);
  // Brokers do not need its jars, and would start later with them.
  const classPath = await downloadJars(join(distribution.folder, 'mirror-jars'), ['connect-mirror'], silent);
  const file = join(folder, 'mm2.properties');
  await writeFile(file, `${properties}\n${propertiesText({ ...oneBroker, ...quick })}`);
  const main = ['org.apache.kafka.connect.mirror.MirrorMaker', file];
  const flags = classFlags({ ...distribution, classPath, archive: undefined });
  const child = startJava(distribution.java, [...flags, ...main], join(folder, 'mirror.log'));
  const exit = once(child, 'exit');
  return {
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

const oneBroker = {
  'replication.factor': 1,
  'checkpoints.topic.replication.factor': 1,
  'heartbeats.topic.replication.factor': 1,
  'offset-syncs.topic.replication.factor': 1,
  'config.storage.replication.factor': 1,
  'offset.storage.replication.factor': 1,
  'status.storage.replication.factor': 1,
};

/** Intervals of a second. By default the first two are ten minutes, and the others one minute. */
const quick = {
  'refresh.topics.interval.seconds': 1,
  'refresh.groups.interval.seconds': 1,
  'emit.checkpoints.interval.seconds': 1,
  'sync.group.offsets.interval.seconds': 1,
  'new.offset.flush.interval.ms': 1000,
};

/**
 * Compares the offsets of groups as the page says. Takes the output of `kafka-consumer-groups.sh`: for each group a table of
 * the old cluster, then one of the new.
 */
export function isTranslated(output: string): boolean {
  const tables = output.split(/^GROUP .*\n/m).slice(1);
  const rows = tables.map((table) => new Map(table.split('\n').map(parseRow)));
  return (
    rows.length === 4 &&
    [...(rows[0] ?? [])].every(([name, row]) => isPlaced(row, rows[1]?.get(name))) &&
    [...(rows[2] ?? [])].every(([name, row]) => isPlaced(row, rows[3]?.get(name)))
  );
}

interface Row {
  readonly end: number;
  /** NaN without a commit. */
  readonly lag: number;
}

function parseRow(line: string): readonly [string, Row] {
  const [, topic = '', partition = '', , end, lag] = line.split(/ +/);
  return [`${topic} ${partition}`, { end: Number(end), lag: Number(lag) }];
}

function isPlaced(old: Row, moved: Row | undefined): boolean {
  if (!(old.end > 0)) return true;
  if (moved?.end !== old.end) return false;
  return old.lag === 0 ? moved.lag === 0 : moved.lag >= old.lag;
}
