import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressOf, brokerProperties, propertiesText, type Layout, type Properties } from './broker-properties.ts';
import { classFlags, type Distribution } from './distribution.ts';
import { startJava } from './java.ts';

interface BrokerOptions {
  /** Counted from 1. */
  readonly id: number;
  readonly clusterId: string;
  readonly layout: Layout;
  /** Properties that override those of `brokerProperties`. */
  readonly properties: Properties;
  readonly distribution: Distribution;
  /** More flags of the virtual machine. */
  readonly flags: readonly string[];
}

/** Writes the files that a broker needs to start. Kafka's own formatting tool would take a second. */
export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { id, clusterId, layout, properties, distribution } = options;
  const data = join(layout.folder, `data-${id}`);
  const settings = Object.assign({}, brokerProperties(id, layout), ...layout.listeners.map((one) => one.properties));
  await cp(distribution.formatted, data, { recursive: true });
  const identity = { version: 1, 'cluster.id': clusterId, 'node.id': id };
  await writeFile(join(data, 'meta.properties'), propertiesText(identity));
  await writeFile(settingsFile(options), propertiesText({ ...settings, ...properties }));
  return new Broker(options);
}

function settingsFile({ id, layout }: BrokerOptions): string {
  return join(layout.folder, `broker-${id}.properties`);
}

/** The process of one broker, which can be started, ended and frozen repeatedly. */
export class Broker {
  readonly #options: BrokerOptions;
  #process: ChildProcess | undefined;

  /** Use `createBroker`. */
  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  get id(): number {
    return this.#options.id;
  }

  addressOf(listener: string): string {
    return addressOf(this.id, listener, this.#options.layout);
  }

  get isRunning(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  start(): void {
    const { distribution, flags } = this.#options;
    const main = ['kafka.Kafka', settingsFile(this.#options)];
    const child = startJava(distribution.java, [...flags, ...classFlags(distribution), ...main], this.#logFile);
    // Without `setpriv` the kernel does not kill the broker, so an orderly exit of this process does.
    const killOnExit = (): void => void child.kill('SIGKILL');
    process.once('exit', killOnExit);
    child.once('exit', () => process.off('exit', killOnExit));
    this.#process = child;
  }

  /** Ends the broker. SIGTERM lets it hand over its partitions; SIGKILL is a crash. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (child === undefined || !this.isRunning) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  /** Suspends the broker: it keeps its connections but answers nothing, like one with a stuck disk. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  /** Returns the last lines of its log, for error messages. */
  async lastLogLines(): Promise<string> {
    const lines = (await readFile(this.#logFile, 'utf8')).trimEnd().split('\n');
    return lines.slice(-25).join('\n');
  }

  get #logFile(): string {
    return join(this.#options.layout.folder, `broker-${this.id}.log`);
  }
}
