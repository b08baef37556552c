import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import type { Environment } from '../../../src/settings.ts';
import { root } from '../../support/files/sources.ts';
import { helmCommand } from '../../support/helm/tools.ts';

const runFile = promisify(execFile);

/** The Deployment of one revision of the release. */
export interface Revision {
  readonly environment: Environment;
  readonly replicas: number;
  /** The content of the file of values. */
  readonly values: unknown;
}

/** Renders the chart with the arguments of an upgrade. */
export async function renderRevision(
  args: readonly string[],
  { folder, secretFile }: { readonly folder: string; readonly secretFile: (secret: string, key: string) => string },
): Promise<Revision> {
  const own = args.filter(
    (arg, index) =>
      !/^--(?:install|wait|timeout|atomic|rollback-on-failure)(?:=|$)/.test(arg) && args[index - 1] !== '--timeout',
  );
  const command = await helmCommand('helm-4.1.4');
  const { stdout } = await runFile(
    command,
    ['template', ...own.map((arg) => arg.replace(/^helm\//, `${root}/helm/`))],
    {
      cwd: folder,
    },
  );
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest | null);
  const { spec } = present(
    manifests.find((manifest) => manifest !== null && manifest.kind === 'Deployment') ?? undefined,
  );
  const { containers, volumes = [] } = spec.template.spec;
  const mounted = volumes
    .flatMap(({ projected }) => projected?.sources ?? [])
    .flatMap(({ secret }) => secret?.items.map(({ key, path }) => [path, secretFile(secret.name, key)] as const) ?? []);
  const files = new Map(mounted);
  const entries = (containers[0]?.env ?? []).map(({ name, value = '' }) => [name, files.get(basename(value)) ?? value]);
  const values: unknown = parse(await readFile(join(folder, String(args[args.indexOf('--values') + 1])), 'utf8'));
  return { replicas: spec.replicas ?? 1, environment: Object.fromEntries(entries) as Environment, values };
}

interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly env?: readonly { readonly name: string; readonly value?: string }[];
        }[];
        readonly volumes?: readonly {
          readonly projected?: { readonly sources: readonly { readonly secret?: Secret }[] };
        }[];
      };
    };
  };
}

interface Secret {
  readonly name: string;
  readonly items: readonly { readonly key: string; readonly path: string }[];
}

export function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('there is none');
  return value;
}
