import { expect, it } from 'vitest';
import { isThere, movedIn, readMetrics } from './metrics-page.ts';

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

it('tells what moved in a family from what is there', () => {
  expect(movedIn(page, 'dead_letters_total')).toEqual({ '{reason="exhausted"}': 10 });
  expect(movedIn(page, 'unsettled_records')).toEqual({});
  expect(isThere(page, 'unsettled_records')).toBe(true);
  expect(isThere(page, 'unsettled')).toBe(false);
});

it('keeps to the metrics of the service', () => {
  expect([...page.samples.keys()].filter((series) => series.includes('version'))).toEqual([]);
});
