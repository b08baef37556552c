import { parse } from 'yaml';
import { readText } from '../../support/files/sources.ts';

/** A rule of a shipped file. */
export interface ShippedRule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ShippedGroup {
  readonly name: string;
  readonly rules: readonly ShippedRule[];
}

export function shippedRules(file: 'alerts' | 'recording'): readonly ShippedGroup[] {
  const { groups } = parse(readText(`helm/certificate-webhooks/rules/${file}.yaml`)) as {
    readonly groups: readonly ShippedGroup[];
  };
  return groups;
}
