import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { answersOk } from '../../support/processes/answers-ok.ts';
import { eventually } from '../../support/time/eventually.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { root } from '../../support/files/sources.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';

/** One series of a query result. The value is text, because it may be `NaN`. */
interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

interface Exemplar {
  readonly labels: Readonly<Record<string, string>>;
}

interface RuleState {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Set for alerts only. */
  readonly state?: 'inactive' | 'pending' | 'firing';
}

/** A real Prometheus with the shipped rules, which scrapes the service. */
export interface Prometheus extends AsyncDisposable {
  readonly url: string;
  /** Runs a query at the current time. Rejects if the query is invalid. */
  ask(expression: string): Promise<readonly Sample[]>;
  /** Resolves with the exemplars of the last minute of a series, by their labels. */
  exemplars(selector: string): Promise<readonly Readonly<Record<string, string>>[]>;
  /** Resolves with the names of all stored metrics. */
  names(): Promise<readonly string[]>;
  rules(): Promise<readonly RuleState[]>;
}

export async function startPrometheus(urls: readonly string[]): Promise<Prometheus> {
  await using parts = new AsyncDisposableStack();
  const files = parts.use(await writeTemporaryFiles({ 'prometheus.yaml': stringify(configuration(urls)) }));
  const address = `127.0.0.1:${await findFreePorts(1)}`;
  parts.use(await startProgram(files.root, address));
  await eventually('Prometheus is ready', () => answersOk(`http://${address}/-/ready`), { withinMs: 30_000 });
  const owned = parts.move();
  const get = async (path: string, query = {}): Promise<unknown> => askApi(address, path, query);
  return {
    url: `http://${address}`,
    ask: async (expression) => ((await get('query', { query: expression })) as { readonly result: Sample[] }).result,
    exemplars: async (selector) => {
      const now = Date.now() / 1000;
      const range = { query: selector, start: String(now - 60), end: String(now + 60) };
      const series = (await get('query_exemplars', range)) as readonly { readonly exemplars: readonly Exemplar[] }[];
      return series.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels));
    },
    names: async () => (await get('label/__name__/values')) as string[],
    rules: async () => {
      const { groups } = (await get('rules')) as { readonly groups: readonly { readonly rules: RuleState[] }[] };
      return groups.flatMap(({ rules }) => rules);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function configuration(urls: readonly string[]): object {
  const every = '1s';
  const targets = urls.map((url) => new URL(url).host);
  return {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: [join(root, 'helm', 'certificate-webhooks', 'rules', '*.yaml')],
    scrape_configs: [
      { job_name: 'certificate-webhooks', static_configs: [{ targets, labels: { namespace: 'production' } }] },
    ],
  };
}

async function startProgram(folder: string, address: string): Promise<AsyncDisposable> {
  const storing = ['--storage.tsdb.path=data', '--enable-feature=exemplar-storage'];
  const args = ['--config.file=prometheus.yaml', ...storing, `--web.listen-address=${address}`];
  const child = spawn('prometheus', args, { cwd: folder, stdio: 'ignore' });
  await once(child, 'spawn');
  const exited = once(child, 'exit');
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Closes connections after each request: open ones would count as leaks. */
const closing = { headers: { connection: 'close' } };

async function askApi(address: string, path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
  const url = `http://${address}/api/v1/${path}?${new URLSearchParams(query).toString()}`;
  const answer = (await (await fetch(url, closing)).json()) as { readonly data?: unknown; readonly error?: string };
  if (answer.data === undefined) throw new Error(`Prometheus refuses ${JSON.stringify(query)}: ${answer.error}`);
  return answer.data;
}
