import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from '../support/files/sources.ts';

/** The parts of npm's report that are used here. It has no `metadata` if the registry did not answer. */
interface Report {
  readonly message?: string;
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<Severity, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: Severity }>>;
}

type Severity = 'info' | 'low' | 'moderate' | 'high' | 'critical';

const severe: ReadonlySet<Severity> = new Set(['high', 'critical']);

// Fails if a package of the service has a known vulnerability of severity high or critical. A registry that does not answer is
// reported, and does not fail the run. Arguments are passed on to npm.
const args = ['audit', '--omit=dev', '--json', '--fetch-retries=1', '--fetch-timeout=20000', ...process.argv.slice(2)];
const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 64 * 1024 ** 2 }).catch(
  (error: unknown) => error as { readonly stdout: string },
);
const { message = 'no report', metadata, vulnerabilities = {} } = JSON.parse(stdout) as Report;
if (metadata === undefined) {
  process.stdout.write(`Not audited, because the registry does not answer: ${message}\n`);
} else {
  const found = Object.entries(vulnerabilities).filter(([, { severity }]) => severe.has(severity));
  for (const [name, { severity }] of found) process.stdout.write(`${severity}: ${name}\n`);
  process.stdout.write(`${found.length} vulnerable packages; others below high: ${below(metadata.vulnerabilities)}\n`);
  if (found.length > 0) process.exitCode = 1;
}

function below({ info, low, moderate }: Readonly<Record<Severity, number>>): number {
  return info + low + moderate;
}
