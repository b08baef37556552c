import { strict as assert } from 'node:assert';
import { effectiveSettings, type EffectiveGroup, type Environment } from './environment.ts';
import type { FileContents } from './files.ts';
import type { ConfigurationsSource } from './kinds/kafka-kinds.ts';
import { parseVariables, type Problem } from './parse-variables.ts';
import { nodeProblems, ruleProblems, settingsWarnings, unknownVariableWarnings } from './rules.ts';
import { variableEntries, type Values, type ValuesByPath } from './variables.ts';

export type LoadedSettings =
  | { readonly kind: 'ok'; readonly settings: Settings; readonly warnings: readonly string[] }
  | {
      readonly kind: 'problems';
      readonly problems: readonly Problem[];
      readonly warnings: readonly string[];
      /** The source of the webhook configurations, if its variable is valid. Its files can then be checked, too. */
      readonly webhookSource: ConfigurationsSource | undefined;
    };

export function parseSettings(environment: Environment, files: FileContents): LoadedSettings {
  const parsed = parseVariables(environment, files);
  const problems = [...nodeProblems(environment), ...parsed.problems, ...ruleProblems(parsed)];
  const warnings = [...unknownVariableWarnings(environment), ...settingsWarnings(parsed)];
  const webhookSource = parsed.values.WEBHOOK_CONFIGURATIONS;
  if (problems.length > 0) return { kind: 'problems', problems, warnings, webhookSource };
  const tree = treeOf(parsed.values);
  const kafka = { ...tree.kafka, sasl: saslSettings(tree.kafka.sasl) };
  return { kind: 'ok', settings: { ...tree, kafka, effective: effectiveSettings(environment) }, warnings };
}

/** The parsed and checked settings: the value of each variable, at its path. */
export interface Settings extends Omit<SettingsTree, 'kafka'> {
  readonly kafka: KafkaSettings;
  /** All settings as text for people, without secrets. */
  readonly effective: readonly EffectiveGroup[];
}

export interface KafkaSettings extends Omit<SettingsTree['kafka'], 'sasl'> {
  /** Has all parts of one kind of login, or is undefined. */
  readonly sasl: ReturnType<typeof saslSettings>;
}

export type SchemaRegistrySettings = SettingsTree['schemaRegistry'];

/** `Tree<{ 'a.b': number }>` is `{ a: { b: number } }`. */
type Tree<ByPath> = {
  readonly [Key in FirstKey<keyof ByPath>]: Key extends keyof ByPath ? ByPath[Key] : Tree<Below<ByPath, Key>>;
};
type FirstKey<Path> = Path extends `${infer Key}.${string}` ? Key : Path;
type Below<ByPath, Key extends PropertyKey> = {
  [Path in keyof ByPath as Path extends `${Key & string}.${infer Rest}` ? Rest : never]: ByPath[Path];
};

type SettingsTree = Tree<ValuesByPath>;

/** Groups the values by their paths. They must be free of problems. */
function treeOf(values: Partial<Values>): SettingsTree {
  const byName = new Map<string, unknown>(Object.entries(values));
  const tree = nest(variableEntries.map(([name, { at }]) => ({ path: at.split('.'), value: byName.get(name) })));
  assert(isComplete(tree, byName), 'Variables without problems have all required values.');
  return tree;
}

function nest(placed: readonly { readonly path: readonly string[]; readonly value: unknown }[]): object {
  const byKey = Map.groupBy(placed, ({ path: [key = ''] }) => key);
  return Object.fromEntries(
    [...byKey].map(([key, inside]) => {
      const below = inside.map(({ path, value }) => ({ path: path.slice(1), value }));
      return [key, below[0]?.path.length === 0 ? below[0].value : nest(below)];
    }),
  );
}

/** Returns true if every missing value is optional. Each value has the type of its variable's kind. */
function isComplete(_tree: object, byName: ReadonlyMap<string, unknown>): _tree is SettingsTree {
  return variableEntries.every(
    ([name, variable]) => byName.has(name) || (variable.required !== true && variable.default === undefined),
  );
}

/** Returns the login by password, or by client credentials (RFC 6749, section 4.4). */
function saslSettings(sasl: SettingsTree['kafka']['sasl']) {
  const { mechanism, username, password, tokenUrl, clientId, clientSecret, scope } = sasl;
  if (mechanism === 'oauthbearer') {
    if (tokenUrl === undefined || clientId === undefined || clientSecret === undefined) return undefined;
    return { mechanism, tokenUrl, clientId, secret: clientSecret, scope };
  }
  if (mechanism === undefined || username === undefined || password === undefined) return undefined;
  return { mechanism, username, secret: password };
}
