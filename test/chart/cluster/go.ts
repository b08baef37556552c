import { execFile } from 'node:child_process';
import { chmod, glob } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A toolchain that any Go can download as a module. Older versions of Go lose its executable bits. */
const toolchain = 'golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64';

/** A recent version of Go, with its downloads and builds in one folder. */
export interface Go {
  run(args: readonly string[], cwd: string): Promise<string>;
  /** Resolves with the folder of a module, downloaded and checked against the public checksums. */
  download(module: string): Promise<string>;
}

export async function prepareGo(folder: string): Promise<Go> {
  const environment = {
    ...process.env,
    HOME: folder,
    GOMODCACHE: join(folder, 'modules'),
    GOCACHE: join(folder, 'compiled'),
    // Makes downloads writable, so that they can be deleted.
    GOFLAGS: '-mod=mod -modcacherw',
    GOTOOLCHAIN: 'local',
  };
  const goWith =
    (command: string, more: Readonly<Record<string, string>> = {}) =>
    async (args: readonly string[], cwd: string): Promise<string> => {
      const options = { cwd, env: { ...environment, ...more }, maxBuffer: 64 * 1024 ** 2 };
      return (await run(command, args, options)).stdout;
    };
  const goRoot = await downloadWith(goWith('go'), toolchain, folder);
  for await (const program of glob(['bin/*', 'pkg/tool/*/*'], { cwd: goRoot }))
    await chmod(join(goRoot, program), 0o755);
  const go = goWith(join(goRoot, 'bin', 'go'), { GOROOT: goRoot });
  return { run: go, download: (module) => downloadWith(go, module, folder) };
}

async function downloadWith(go: Go['run'], module: string, folder: string): Promise<string> {
  const { Dir } = JSON.parse(await go(['mod', 'download', '-json', module], folder)) as { readonly Dir: string };
  return Dir;
}
