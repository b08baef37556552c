import { createHash, randomBytes } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../files/cache-folder.ts';
import { brokerProperties, propertiesText } from './broker-properties.ts';
import { downloadWithMaven, findJava, runJava, type Java } from './java.ts';
import { makeOnce } from '../../files/make-once.ts';
import type { Progress } from './progress.ts';

/** The version that tests run on, and benchmarks. */
export const kafkaVersion = process.env['LOCAL_KAFKA_VERSION'] ?? '4.3.1';

/** Everything that is needed to start a broker. */
export interface Distribution {
  readonly folder: string;
  readonly java: Java;
  readonly classPath: string;
  readonly loggingFile: string;
  /** A formatted data folder. All brokers of all clusters can start with a copy. */
  readonly formatted: string;
  /** An archive of loaded classes (AppCDS), which makes the start faster. */
  readonly archive: string | undefined;
}

/** Returns the folder of the downloaded programs. It exists once the download is complete. */
export function jarsFolder(): string {
  return join(distributionFolder(), 'jars');
}

function distributionFolder(): string {
  return join(cacheFolder(), `kafka-${kafkaVersion}`);
}

/** Downloads and formats what is not in the cache yet. `archiveClasses` adds the archive of classes. */
export async function prepareDistribution(progress: Progress): Promise<Distribution> {
  const java = await findJava();
  const folder = distributionFolder();
  const classPath = await downloadJars(jarsFolder(), ['kafka_2.13', 'kafka-tools'], progress);
  const loggingFile = await makeOnce(join(folder, 'log4j2.properties'), writeLogging);
  const unformatted = { folder, java, classPath, loggingFile, archive: undefined };
  const formatted = await makeOnce(join(folder, 'formatted'), (workFolder) => format(unformatted, workFolder));
  return { ...unformatted, formatted };
}

/** Downloads programs of Kafka with everything that they need, unless the folder exists. Resolves to their class path. */
export async function downloadJars(folder: string, artifacts: readonly string[], progress: Progress): Promise<string> {
  const made = await makeOnce(folder, async (workFolder) => {
    progress('downloading');
    await writeFile(join(workFolder, 'pom.xml'), pomOf(artifacts));
    const jars = join(workFolder, 'jars');
    await downloadWithMaven(workFolder, jars);
    return jars;
  });
  return listJars(made);
}

/** Returns the class path, sorted and absolute, because the archive depends on the exact text. */
async function listJars(folder: string): Promise<string> {
  const jars = (await readdir(folder)).filter((name) => name.endsWith('.jar')).toSorted();
  return jars.map((name) => join(folder, name)).join(':');
}

/** Identifies the virtual machine and the jars. An archive for others is ignored without a message. */
export async function fingerprint({ java, classPath }: Distribution): Promise<string> {
  const times = await Promise.all(classPath.split(':').map(async (jar) => (await stat(jar)).mtimeMs));
  return createHash('sha256')
    .update([java.version, classPath, ...times].join())
    .digest('hex')
    .slice(0, 12);
}

async function writeLogging(workFolder: string): Promise<string> {
  const file = join(workFolder, 'log4j2.properties');
  await writeFile(file, logging);
  return file;
}

async function format(distribution: Omit<Distribution, 'formatted'>, workFolder: string): Promise<string> {
  const data = join(workFolder, 'data');
  const file = join(workFolder, 'broker.properties');
  const layout = { brokers: 1, firstPort: 20_000, folder: workFolder, listeners: [] };
  await writeFile(file, propertiesText({ ...brokerProperties(1, layout), 'log.dirs': data }));
  const clusterId = randomBytes(16).toString('base64url');
  const tool = ['kafka.tools.StorageTool', 'format', '--cluster-id', clusterId, '--config', file];
  await runJava(distribution.java, [...classFlags(distribution), ...tool]);
  return data;
}

/** Returns the flags before the name of a Kafka class. */
export function classFlags({ classPath, loggingFile, archive }: Omit<Distribution, 'formatted'>): readonly string[] {
  // A rejected archive only costs time. The second flag keeps the warning off standard output.
  const archived = archive === undefined ? [] : [`-XX:SharedArchiveFile=${archive}`, '-Xlog:disable'];
  return [...archived, `-Dlog4j2.configurationFile=${loggingFile}`, '-cp', classPath];
}

function pomOf(artifacts: readonly string[]): string {
  const dependencies = artifacts.map(
    (artifact) => `<dependency>
      <groupId>org.apache.kafka</groupId><artifactId>${artifact}</artifactId><version>${kafkaVersion}</version>
    </dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    ${dependencies.join('\n    ')}
    <dependency><!-- Without a binding of slf4j there is no log at all. -->
      <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.25.4</version>
    </dependency>
  </dependencies>
</project>
`;
}

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
