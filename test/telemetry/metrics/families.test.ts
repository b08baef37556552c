import fc from 'fast-check';
import { Counter, Histogram, Registry, type Metric, type OpenMetricsContentType } from 'prom-client';
import { expect, it, vi } from 'vitest';
import { counter, histogram } from '../../../src/telemetry/metrics/families.ts';

const name = 'certificate_webhooks_measured';
const labelNames = ['outcome', 'tier'];
const buckets = [0.005, 0.25, 1, 2.5, 10];
const family = { name: 'measured', help: 'Measured.', labels: { outcome: ['delivered', 'timeout'], tier: ['10s'] } };

/** Labels of which only some are known from the start. */
const someLabels = fc.record({
  outcome: fc.constantFrom('delivered', 'timeout', 'quoted "\\', ''),
  tier: fc.constantFrom('10s', '1m', '7'),
});
const values = fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.constantFrom(0, ...buckets));
const traceIds = fc.option(fc.constantFrom('a', 'b'), { nil: undefined });

it('a counter exposes what prom-client does for the same samples', async () => {
  const samples = fc.array(fc.record({ labels: someLabels, by: fc.option(fc.nat(9), { nil: undefined }) }));
  await fc.assert(
    fc.asyncProperty(samples, async (taken) => {
      const [ours, theirs] = [new Registry(), new Registry()];
      const created = counter(ours, family);
      const plain = new Counter({ name, help: family.help, labelNames, registers: [theirs] });
      for (const outcome of family.labels.outcome) plain.inc({ tier: '10s', outcome }, 0);
      for (const { labels, by } of taken) {
        created.inc(labels, by);
        plain.inc(labels, by);
      }
      expect(await ours.metrics()).toBe(await theirs.metrics());
    }),
  );
});

it('a histogram exposes what prom-client does for the same samples, exemplars included', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const samples = fc.array(fc.record({ labels: someLabels, value: values, traceId: traceIds }));
  await fc.assert(
    fc.asyncProperty(samples, async (taken) => {
      const ours = new Registry();
      const created = histogram(ours, { ...family, buckets });
      const plain = new Histogram({
        name,
        help: family.help,
        labelNames,
        buckets,
        enableExemplars: true,
        registers: [],
      });
      for (const outcome of family.labels.outcome) plain.zero({ tier: '10s', outcome });
      for (const { labels, value, traceId } of taken) {
        vi.advanceTimersByTime(1);
        created.observe(labels, value, traceId);
        plain.observe({ labels, value, ...(traceId === undefined ? {} : { exemplarLabels: { trace_id: traceId } }) });
      }
      expect(await inOpenMetrics(ours.getSingleMetric(name))).toBe(await inOpenMetrics(plain));
    }),
  );
  vi.useRealTimers();
});

it('counts without labels', async () => {
  const registry = new Registry();
  const created = counter(registry, { ...family, labels: {} });
  created.inc({});
  created.inc({}, 3);
  expect(await registry.metrics()).toContain(`\n${name} 4\n`);
});

async function inOpenMetrics(metric: Metric | undefined): Promise<string> {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  if (metric !== undefined) registry.registerMetric(metric);
  return registry.metrics();
}
