import { createConfig, lintFromString } from '@redocly/openapi-core';
import { join } from 'node:path';
import { root } from '../files/sources.ts';

/** Rules that are off, because the service has no address of its own, and no license. */
const off = { 'no-empty-servers': 'off', 'info-license': 'off' } as const;

/** Returns what the linter finds in the text of an OpenAPI or AsyncAPI document. */
export async function findingsIn(text: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: off });
  const problems = await lintFromString({ source: text, absoluteRef: join(root, 'docs/contract.yaml'), config });
  return problems.map(({ ruleId, message, location }) => `${location[0]?.pointer} ${ruleId}: ${message}`);
}
