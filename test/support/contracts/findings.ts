import specifications from '@asyncapi/specs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../files/sources.ts';
import { schemasOf } from './json-schemas.ts';

/** Rules that are off: the service has no address and no license, and the login to Kafka is the operator's. */
const rules = {
  oas3_1Rules: { 'no-empty-servers': 'off', 'info-license': 'off' },
  async3Rules: { 'security-defined': 'off' },
} as const;

/** Returns what the linter finds in the text of an OpenAPI or AsyncAPI document. */
export async function findingsIn(text: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], ...rules });
  const problems = await lintFromString({ source: text, absoluteRef: join(root, 'docs/contract.yaml'), config });
  return problems.map(({ ruleId, message, location }) => `${location[0]?.pointer} ${ruleId}: ${message}`);
}

// Compiled when it is first used.
const definition = schemasOf(specifications.schemasWithoutId['3.0.0'], 'draft-07');

/** Returns what is wrong with the text of an AsyncAPI document by AsyncAPI's own schema, which checks more than the linter. */
export function definitionProblems(text: string): readonly string[] {
  return definition('#', parse(text));
}
