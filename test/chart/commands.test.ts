import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { linesOf, readPages } from '../docs/support/page.ts';
import { root } from '../support/files/sources.ts';
import { helmCommand } from '../support/helm/tools.ts';
import { needs } from '../support/programs/needs.ts';

const run = promisify(execFile);
const lines = readPages()
  .flatMap(linesOf)
  .map((line) => line.replaceAll(/\s+/g, ' '))
  .filter((line) => /^helm (?:upgrade|install) /.test(line));

describe('the commands of Helm that the pages show', needs('helm'), () => {
  it.each([...new Set(lines)])('render the chart: %s', async (line) => {
    const args = line
      .replace(/^helm (?:upgrade|install)|--(?:install|wait|values \S+|timeout \S+)/g, '')
      .replace('$NS', 'learning');
    const given = ['settings.KAFKA_BROKERS=kafka-1:9093', ...(args.match(/(?<=--set )\S+/g) ?? [])];
    const words = args
      .replaceAll(/--set \S+/g, '')
      .trim()
      .split(/\s+/);
    const sets = given.flatMap((text) => ['--set', text.replaceAll("'", '')]);
    const { stdout } = await run(await helmCommand('helm-4.1.4'), ['template', ...words, ...sets], { cwd: root });
    expect(stdout).toContain('kind: Deployment');
  });
});
