import { eventually } from '../../support/time/eventually.ts';

interface Scraped {
  readonly name: string;
  /** Undefined if the instance did not answer. */
  readonly text: string | undefined;
}

const wanted =
  /^certificate_webhooks_(consumer_lag_records|uncommitted_records|records_settled_total|assigned_partitions|oldest_unsettled_record_timestamp_seconds)\{(.*)\} (\S+)$/;

/** The samples of several instances, one of each series and scrape. Keeps what the alerts about progress use. */
export class RecordedSeries {
  readonly #topic: string;
  readonly #samples = new Map<string, Map<number, string>>();
  #scrapes = 0;

  constructor(topic: string) {
    this.#topic = topic;
  }

  get scrapes(): number {
    return this.#scrapes;
  }

  /** Adds the answers to one scrape. */
  add(scraped: readonly Scraped[]): void {
    for (const { name, text = '' } of scraped) {
      for (const line of text.split('\n')) this.#addLine(name, line);
    }
    this.#scrapes += 1;
  }

  /** Resolves after that many scrapes. */
  async reached(scrapes: number): Promise<void> {
    await eventually(`${scrapes} scrapes`, async () => this.#scrapes >= scrapes, { withinMs: 1_200_000, everyMs: 100 });
  }

  /** Returns the values in promtool's notation by series. Counters that stay zero are left out. */
  series(): Readonly<Record<string, string>> {
    const all = [...this.#samples].filter(([name, values]) => !name.includes('_total{') || isCounted(values));
    return Object.fromEntries(all.map(([name, values]) => [name, notation(values, this.#scrapes)]));
  }

  #addLine(instance: string, line: string): void {
    const [, metric, labels = '', value = ''] = wanted.exec(line) ?? [];
    if (metric === undefined || !labels.includes(`topic="${this.#topic}"`)) return;
    const own = `namespace="production",job="certificate-webhooks",instance="${instance}"`;
    const series = `certificate_webhooks_${metric}{${own},${labels}}`;
    const values = this.#samples.get(series) ?? new Map<number, string>();
    values.set(this.#scrapes, value);
    this.#samples.set(series, values);
  }
}

function isCounted(values: ReadonlyMap<number, string>): boolean {
  return [...values.values()].some((value) => value !== '0');
}

/** Writes equal values once. As Prometheus does, marks a series as stale where it ends. */
function notation(values: ReadonlyMap<number, string>, scrapes: number): string {
  const all = Array.from({ length: scrapes }, (_, scrape) => {
    return values.get(scrape) ?? (values.has(scrape - 1) ? 'stale' : '_');
  });
  const runs: { readonly value: string; length: number }[] = [];
  for (const value of all) {
    const last = runs.at(-1);
    if (last?.value === value) last.length += 1;
    else runs.push({ value, length: 1 });
  }
  return runs.map(({ value, length }) => runText(value, length)).join(' ');
}

/** In promtool's notation, `_x3` is missing three times, but `7x3` is 7 and three more. */
function runText(value: string, length: number): string {
  if (length === 1) return value;
  return value === '_' ? `_x${length}` : `${value}x${length - 1}`;
}
