import { createHash, randomBytes } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../files/cache-folder.ts';
import { brokerProperties, propertiesText } from './broker-properties.ts';
import { downloadWithMaven, findJava, runJava, type Java } from './java.ts';
import { makeOnce } from '../../files/make-once.ts';
import type { Progress } from './progress.ts';

export const kafkaVersion = '4.3.1';

/** All that a broker is started from. */
export interface Distribution {
  readonly folder: string;
  readonly java: Java;
  readonly classPath: string;
  readonly loggingFile: string;
  /** What formatting writes into a broker's data folder. It is the same for every broker of every cluster. */
  readonly checkpoint: string;
  /** Classes loaded and linked beforehand (AppCDS): a broker is up in a third of the time. */
  readonly archive: string | undefined;
}

/** Downloads and formats what is not in the cache yet. The archive of classes is made by `archiveClasses`. */
export async function prepareDistribution(progress: Progress): Promise<Distribution> {
  const java = await findJava();
  const folder = join(cacheFolder(), `kafka-${kafkaVersion}`);
  const jars = await makeOnce(join(folder, 'jars'), (workshop) => download(workshop, progress));
  const classPath = await listJars(jars);
  const loggingFile = await makeOnce(join(folder, 'log4j2.properties'), writeLogging);
  const unformatted = { folder, java, classPath, loggingFile, archive: undefined };
  const checkpoint = await makeOnce(join(folder, 'bootstrap.checkpoint'), (workshop) => format(unformatted, workshop));
  return { ...unformatted, checkpoint };
}

async function download(workshop: string, progress: Progress): Promise<string> {
  progress('downloading');
  await writeFile(join(workshop, 'pom.xml'), pom);
  const jars = join(workshop, 'jars');
  await downloadWithMaven(workshop, jars);
  return jars;
}

/** Sorted and absolute, because the archive is bound to the exact text. */
async function listJars(folder: string): Promise<string> {
  const jars = (await readdir(folder)).filter((name) => name.endsWith('.jar')).toSorted();
  return jars.map((name) => join(folder, name)).join(':');
}

/** What the archive depends on: with another virtual machine or other jars it would be ignored in silence. */
export async function fingerprint({ java, classPath }: Distribution): Promise<string> {
  const times = await Promise.all(classPath.split(':').map(async (jar) => (await stat(jar)).mtimeMs));
  return createHash('sha256')
    .update([java.version, classPath, ...times].join())
    .digest('hex')
    .slice(0, 12);
}

async function writeLogging(workshop: string): Promise<string> {
  const file = join(workshop, 'log4j2.properties');
  await writeFile(file, logging);
  return file;
}

async function format(distribution: Omit<Distribution, 'checkpoint'>, workshop: string): Promise<string> {
  const data = join(workshop, 'data');
  const file = join(workshop, 'broker.properties');
  const layout = { brokers: 1, firstPort: 20_000, folder: workshop, listeners: [] };
  await writeFile(file, propertiesText({ ...brokerProperties(1, layout), 'log.dirs': data }));
  const clusterId = randomBytes(16).toString('base64url');
  const tool = ['kafka.tools.StorageTool', 'format', '--cluster-id', clusterId, '--config', file];
  await runJava(distribution.java, [...classFlags(distribution), ...tool]);
  return join(data, 'bootstrap.checkpoint');
}

/** The flags in front of a class of Kafka's. */
export function classFlags({ classPath, loggingFile, archive }: Omit<Distribution, 'checkpoint'>): readonly string[] {
  // A rejected archive costs time only; without the second flag the warning would go to standard output.
  const archived = archive === undefined ? [] : [`-XX:SharedArchiveFile=${archive}`, '-Xlog:disable'];
  return [...archived, `-Dlog4j2.configurationFile=${loggingFile}`, '-cp', classPath];
}

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${kafkaVersion}</version>
    </dependency>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>${kafkaVersion}</version>
    </dependency>
    <dependency><!-- Without a binding of slf4j there is no log at all. -->
      <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.25.4</version>
    </dependency>
  </dependencies>
</project>
`;

const logging = `status = error
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{HH:mm:ss.SSS} %-5p %c{1} %m%n
rootLogger.level = info
rootLogger.appenderRef.out.ref = out
logger.settings.name = org.apache.kafka.common.config.AbstractConfig
logger.settings.level = warn
`;
