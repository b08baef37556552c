import { expect, it } from 'vitest';
import { hasFamily, nonZeroSamples, readMetrics } from './metrics-page.ts';

const page = readMetrics(`# HELP certificate_webhooks_dead_letters_total Dead letters.
# TYPE certificate_webhooks_dead_letters_total counter
certificate_webhooks_dead_letters_total{reason="exhausted"} 10
certificate_webhooks_dead_letters_total{reason="expired"} 0
# HELP certificate_webhooks_unsettled_records Records.
# TYPE certificate_webhooks_unsettled_records gauge
certificate_webhooks_unsettled_records 0
# HELP nodejs_version_info Node.
# TYPE nodejs_version_info gauge
nodejs_version_info{version="v24"} 1
`);

it('finds the samples of a family that are not zero, and whether a family exists', () => {
  expect(nonZeroSamples(page, 'dead_letters_total')).toEqual({ '{reason="exhausted"}': 10 });
  expect(nonZeroSamples(page, 'unsettled_records')).toEqual({});
  expect(hasFamily(page, 'unsettled_records')).toBe(true);
  expect(hasFamily(page, 'unsettled')).toBe(false);
});

it('leaves out metrics of Node itself', () => {
  expect([...page.samples.keys()].filter((series) => series.includes('version'))).toEqual([]);
});
