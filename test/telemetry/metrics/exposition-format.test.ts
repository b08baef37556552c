import { expect, it } from 'vitest';
import { acceptedFormat } from '../../../src/telemetry/metrics/metrics.ts';

const prometheus2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const prometheus3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';

it.each([
  ['of Prometheus 2', prometheus2],
  ['of Prometheus 3', prometheus3],
  ['that names OpenMetrics alone', 'application/openmetrics-text'],
  ['that quotes the version', 'application/openmetrics-text; version="1.0.0"; charset=utf-8'],
  ['in upper case', 'APPLICATION/OPENMETRICS-TEXT;VERSION=1.0.0;Q=0.5, TEXT/PLAIN;Q=0.3'],
  ['without a preference', 'text/plain, application/openmetrics-text'],
])('a client whose Accept is one %s gets OpenMetrics', (_what, accept) => {
  expect(acceptedFormat(accept)).toBe('openMetrics');
});

it.each([
  ['that is missing', undefined],
  ['that is empty', ''],
  ['of curl', '*/*'],
  ['of a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  ['of a scraper for text', 'text/plain;version=0.0.4;q=1,*/*;q=0.1'],
  ['that prefers text', 'text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5'],
  ['that prefers anything else', 'application/openmetrics-text;q=0.1,*/*'],
  ['that refuses OpenMetrics', 'application/openmetrics-text;q=0'],
  ['for another version', 'application/openmetrics-text;version=0.0.1'],
  ['with a broken preference', 'application/openmetrics-text;q=high'],
  ['of Protobuf', 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited'],
])('a client whose Accept is one %s gets text', (_what, accept) => {
  expect(acceptedFormat(accept)).toBe('text');
});
