import { stringify } from 'yaml';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { promtool } from './promtool.ts';
import { shippedRules, type ShippedGroup, type ShippedRule } from './shipped.ts';

/** Values over time in promtool's notation, such as `0+1x10`, by series. */
export type Series = Readonly<Record<string, string>>;

type Labels = Readonly<Record<string, string>>;

interface Replay {
  /** The name without the common prefix. */
  readonly alert: string;
  readonly series: Series;
  /** The time between two values. Default: one minute. */
  readonly interval?: string;
  /** The time between two evaluations. Default: that between two values. */
  readonly evaluationInterval?: string;
  /** The firing alerts of that name at each time, reduced to the labels used here. */
  readonly firing: Readonly<Record<string, readonly Labels[]>>;
}

export const asExpected = 'as expected';

const shippedGroups = [...shippedRules('recording'), ...shippedRules('alerts')];

/** Evaluates the rule on the series. Resolves with `asExpected`, or with promtool's output. */
export async function replay(scenario: Replay): Promise<string> {
  await using files = await writeTemporaryFiles({
    'rules.yaml': stringify({ groups: rulesFor(scenario) }),
    'test.yaml': stringify(testFile(scenario)),
  });
  const { succeeded, output } = await promtool(['test', 'rules', files.path('test.yaml')]);
  return succeeded ? asExpected : output;
}

/** Returns the alert and the recording rules that it uses. Evaluating the others would take most of the time. */
function rulesFor({ alert }: Replay): readonly ShippedGroup[] {
  const recordings = shippedGroups.flatMap(({ rules }) => rules.filter(({ record }) => record !== undefined));
  const wanted = withRules((rule) => rule.alert === `CertificateWebhooks${alert}`);
  const used = wanted.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  // The loop also visits the expressions that it appends.
  for (const expression of used) {
    used.push(...recordings.filter(({ record = '' }) => expression.includes(`${record}{`)).map(({ expr }) => expr));
  }
  return withRules(({ expr }) => used.includes(expr));
}

function withRules(isWanted: (rule: ShippedRule) => boolean): readonly ShippedGroup[] {
  return shippedGroups.map(({ name, rules }) => ({ name, rules: rules.filter(isWanted) }));
}

function testFile(scenario: Replay): object {
  const { alert, series, interval = '1m', evaluationInterval = interval, firing } = scenario;
  const names = [...new Set(Object.values(firing).flatMap((all) => all.flatMap((labels) => Object.keys(labels))))];
  const fires = `ALERTS{alertname="CertificateWebhooks${alert}",alertstate="firing"}`;
  return {
    rule_files: ['rules.yaml'],
    evaluation_interval: evaluationInterval,
    // promtool evaluates groups in any order unless all of them are listed.
    group_eval_order: shippedGroups.map(({ name }) => name),
    tests: [
      {
        interval,
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: Object.entries(firing).map(([time, expected]) => ({
          expr: `count by (${names.join()}) (${fires})`,
          eval_time: time,
          exp_samples: expected.map((labels) => ({ labels: labelSet(labels), value: 1 })),
        })),
      },
    ],
  };
}

function labelSet(labels: Labels): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join()}}`;
}

/** Adds the labels of one instance. Metrics of the service lack their prefix; those of the process are unchanged. */
export function instance(name: string, series: Series): Series {
  const own = `namespace="production",job="certificate-webhooks",instance="${name}"`;
  return Object.fromEntries(
    Object.entries(series).map(([key, values]) => [onInstance(own, ...apart(key)), values] as const),
  );
}

function apart(key: string): readonly [name: string, labels: string] {
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(key) ?? [];
  return [name, labels];
}

function onInstance(own: string, name: string, labels: string): string {
  const whole = /^(?:process|nodejs)_/.test(name) ? name : `certificate_webhooks_${name}`;
  return `${whole}{${[own, labels].filter((part) => part !== '').join()}}`;
}
