import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The engines that can build images. `buildah` cannot run them. */
export const builders = ['docker', 'podman', 'buildah'] as const;

export type EngineSearch<Engine extends string> =
  | { readonly kind: 'found'; readonly engine: Engine }
  | { readonly kind: 'none'; readonly reason: string; readonly problems: Readonly<Record<string, string>> };

/** Returns the first engine that works. By default an engine works if it answers. */
export async function findEngine<Engine extends string>(
  candidates: readonly Engine[],
  problemWith: (engine: Engine) => Promise<string | undefined> = problemAnswering,
): Promise<EngineSearch<Engine>> {
  const problems: Record<string, string> = {};
  for (const engine of candidates) {
    const problem = await problemWith(engine);
    if (problem === undefined) return { kind: 'found', engine };
    problems[engine] = problem;
  }
  const lines = Object.entries(problems).map(([engine, problem]) => `  ${engine}: ${problem}`);
  return { kind: 'none', reason: ['no container engine works here.', ...lines, advice].join('\n'), problems };
}

/** Returns why the engine does not answer. An installed engine is often not running. */
export async function problemAnswering(engine: string): Promise<string | undefined> {
  return problemIn(() => run(engine, ['info'], { timeout: 10_000 }));
}

/** Returns the error of a command on one line; undefined if it succeeds. */
export async function problemIn(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    const { code, killed, stderr = '' } = error as Failure;
    if (code === 'ENOENT') return 'not installed';
    if (killed === true) return 'does not answer';
    const lastLine = stderr.trim().split('\n').at(-1) ?? '';
    return lastLine === '' ? String(error) : lastLine;
  }
}

interface Failure {
  readonly code?: unknown;
  readonly killed?: boolean;
  readonly stderr?: string;
}

const advice =
  'Start an installed engine, or install one (Debian, Ubuntu: apt-get install podman; others: Docker or Podman Desktop).';
