import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that some tests start. */
interface Program {
  /** The names it may have on the path; the first one found is used. */
  readonly commands: readonly string[];
  /** An environment variable that names the program, or the folder that has it, itself or under `bin`. It wins over the path. */
  readonly variable?: string;
  /** The packages of Debian and Ubuntu that install it. */
  readonly packages: readonly string[];
  /** The use that tests make of it, as a verb phrase. */
  readonly purpose: string;
  /** True for a program that every machine with Java and Maven is expected to have. */
  readonly isExpected?: boolean;
  /** The platforms it exists for, as Node names them; every platform when left out. */
  readonly platforms?: readonly string[];
}

/** All programs that tests use. A test whose program is missing is skipped, see `needs`. */
const programs = {
  promtool: { commands: ['promtool'], packages: ['prometheus'], purpose: 'checks alerts, rules and dashboards' },
  prometheus: { commands: ['prometheus'], packages: ['prometheus'], purpose: 'watches a running service' },
  python: { commands: ['python3'], packages: ['python3'], purpose: 'runs the example receiver in Python' },
  bash: { commands: ['bash'], packages: ['bash'], purpose: 'runs the commands of the pages', isExpected: true },
  zsh: { commands: ['zsh'], packages: ['zsh'], purpose: 'is a shell into which people paste' },
  fish: { commands: ['fish'], packages: ['fish'], purpose: 'is a shell that completes commands' },
  dash: { commands: ['dash'], packages: ['dash'], purpose: 'is a shell into which people paste' },
  jq: { commands: ['jq'], packages: ['jq'], purpose: 'reads what commands print as JSON' },
  haproxy: { commands: ['haproxy'], packages: ['haproxy'], purpose: 'is an endpoint that asks for time' },
  nginx: { commands: ['nginx'], packages: ['nginx-light'], purpose: 'is an endpoint with a limit of requests' },
  gunicorn: { commands: ['gunicorn'], packages: ['gunicorn'], purpose: 'is an endpoint with one worker' },
  podman: {
    commands: ['podman'],
    packages: ['podman', 'runc', 'mmdebstrap'],
    purpose: 'builds and runs the image',
    platforms: ['linux'],
  },
  docker: { commands: ['docker'], packages: [], purpose: 'builds and runs the image in place of Podman' },
  mmdebstrap: {
    commands: ['mmdebstrap'],
    packages: ['mmdebstrap'],
    purpose: 'makes the base of the image where Docker Hub cannot be reached',
  },
  java: {
    commands: ['java'],
    variable: 'JAVA_HOME',
    packages: ['openjdk-17-jre-headless'],
    purpose: 'runs Kafka and its schema registry',
    isExpected: true,
  },
  maven: {
    commands: ['mvn'],
    packages: ['maven'],
    purpose: 'downloads Kafka and its schema registry',
    isExpected: true,
  },
  curl: { commands: ['curl'], packages: ['curl'], purpose: 'judges responses of endpoints', isExpected: true },
  flock: { commands: ['flock'], packages: ['util-linux'], purpose: 'guards downloads', isExpected: true },
  setpriv: {
    commands: ['setpriv'],
    packages: ['util-linux'],
    purpose: 'ends a process together with its parent',
    isExpected: true,
    platforms: ['linux'],
  },
  'kube-apiserver': {
    commands: ['kube-apiserver'],
    variable: 'KUBEBUILDER_ASSETS',
    packages: [],
    purpose: 'takes the objects of the chart; `setup-envtest use` downloads it',
  },
  etcd: {
    commands: ['etcd'],
    variable: 'KUBEBUILDER_ASSETS',
    packages: [],
    purpose: 'stores the objects of kube-apiserver; `setup-envtest use` downloads it',
  },
  kubectl: {
    commands: ['kubectl'],
    variable: 'KUBEBUILDER_ASSETS',
    packages: [],
    purpose: 'scales the Deployment of the chart; `setup-envtest use` downloads it',
  },
  // Tests download the versions of Helm that they need.
  helm: { commands: [], packages: [], purpose: 'renders the chart', isExpected: true, platforms: ['linux-x64'] },
  // A device rather than a program.
  '/dev/full': {
    commands: [],
    packages: [],
    purpose: 'is a file that is always full',
    isExpected: true,
    platforms: ['linux'],
  },
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;

export const programNames = Object.keys(programs) as readonly ProgramName[];

/** Returns the entry of the table with its optional fields. */
export function programOf(name: ProgramName): Program {
  return programs[name];
}

/** The machine on which programs are looked for. `process` is one. */
export type Machine = Pick<NodeJS.Process, 'env' | 'platform' | 'arch'>;

/** Returns whether tests that need the program cannot run on the machine. */
export function isMissing(name: ProgramName, machine: Machine = process): boolean {
  const { commands, platforms } = programOf(name);
  const { platform, arch } = machine;
  if (platforms !== undefined && !platforms.some((one) => [platform, `${platform}-${arch}`].includes(one))) return true;
  return commands.length > 0 && findProgram(name, machine) === undefined;
}

/** Returns the path of the program, or undefined where there is none. */
export function findProgram(name: ProgramName, { env }: Pick<Machine, 'env'> = process): string | undefined {
  const { commands, variable = '' } = programOf(name);
  const named = env[variable] ?? '';
  if (named !== '') {
    const inside = commands.flatMap((command) => [join(named, command), join(named, 'bin', command)]);
    return [named, ...inside].find(isExecutable);
  }
  const folders = (env['PATH'] ?? '').split(delimiter);
  return commands.flatMap((command) => folders.map((folder) => join(folder, command))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
