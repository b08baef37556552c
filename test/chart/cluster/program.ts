import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../support/files/cache-folder.ts';
import { makeOnce } from '../../support/files/make-once.ts';
import { prepareGo, type Go } from './go.ts';
import { assertInstalled } from './installed.ts';

const version = '1.35.4';

/** Modules with definitions of custom resources, and the folder of the definitions in each. */
const operators = [
  ['github.com/kedacore/keda/v2@v2.21.0', 'config/crd/bases'],
  ['github.com/prometheus-operator/prometheus-operator@v0.85.0', 'example/prometheus-operator-crd'],
] as const;

interface Program {
  /** The path of the Kubernetes API server. */
  readonly command: string;
  /** A folder with definitions of custom resources. */
  readonly definitions: string;
}

/** Compiles the server once: about four minutes on two cores, with 2 GB of memory. */
export async function prepareProgram(): Promise<Program> {
  const folder = await makeOnce(join(cacheFolder(), `kubernetes-${version}`), build);
  return { command: join(folder, 'kube-apiserver'), definitions: join(folder, 'definitions') };
}

async function build(workshop: string): Promise<string> {
  await assertInstalled('go', 'golang-go');
  const [made, source] = [join(workshop, 'made'), join(workshop, 'source')];
  await mkdir(made);
  await mkdir(source);
  const go = await prepareGo(workshop);
  const kubernetes = await go.download(`k8s.io/kubernetes@v${version}`);
  const manifest = await readFile(join(kubernetes, 'go.mod'), 'utf8');
  await writeFile(join(source, 'go.mod'), moduleText(manifest));
  const flags = `-s -w -X k8s.io/component-base/version.gitVersion=v${version}`;
  const out = join(made, 'kube-apiserver');
  await go.run(['build', '-ldflags', flags, '-o', out, 'k8s.io/kubernetes/cmd/kube-apiserver'], source);
  await copyDefinitions(go, join(made, 'definitions'));
  return made;
}

/** Returns a go.mod that uses published modules instead of the staging folders of Kubernetes' own repository. */
function moduleText(manifest: string): string {
  const parts = [...manifest.matchAll(/^\s*(?<name>k8s\.io\/\S+) => \.\/staging\//gm)].map(
    ({ groups }) => groups?.['name'],
  );
  const replaced = parts.map((name) => `replace ${name} => ${name} v0.${version.slice(2)}`);
  const go = /^go .*$/m.exec(manifest)?.[0];
  return ['module apiserver', go, `require k8s.io/kubernetes v${version}`, ...replaced, ''].join('\n');
}

async function copyDefinitions(go: Go, target: string): Promise<void> {
  for (const [module, folder] of operators) {
    await cp(join(await go.download(module), folder), target, { recursive: true });
  }
}
