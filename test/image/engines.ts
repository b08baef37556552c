import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** All of them build images; `buildah` does nothing else. */
export const builders = ['docker', 'podman', 'buildah'] as const;
export type Builder = (typeof builders)[number];

export type EngineSearch<Engine extends string> =
  | { readonly kind: 'found'; readonly engine: Engine }
  | { readonly kind: 'none'; readonly reason: string; readonly problems: Readonly<Record<string, string>> };

/** The first one that is there and works. What does not work says why; the default question is whether it answers. */
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

/** Having the command says little: its engine is often not running. */
export async function problemAnswering(engine: string): Promise<string | undefined> {
  return problemIn(() => run(engine, ['info'], { timeout: 10_000 }));
}

/** What the failed command has to say, on one line; undefined when it succeeds. */
export async function problemIn(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    const { code, killed, stderr = '' } = error as Failure;
    if (code === 'ENOENT') return 'not installed';
    if (killed === true) return 'does not answer';
    const lastWords = stderr.trim().split('\n').at(-1) ?? '';
    return lastWords === '' ? String(error) : lastWords;
  }
}

interface Failure {
  readonly code?: unknown;
  readonly killed?: boolean;
  readonly stderr?: string;
}

const advice =
  'Start the one that is there, or install one (Debian, Ubuntu: apt-get install podman; others: Docker or Podman Desktop).';
