import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { writeTemporaryFiles } from './temporary-files.ts';

export type SecretFiles = Readonly<Record<string, string>>;

/** A folder like a mounted Secret of Kubernetes: its files are links through one link, which is replaced atomically. */
export interface MountedSecret extends AsyncDisposable {
  readonly root: string;
  path(name: string): string;
  /** Replaces all files at once. */
  replace(files: SecretFiles): Promise<void>;
}

export async function mountSecret(files: SecretFiles): Promise<MountedSecret> {
  const folder = await writeTemporaryFiles({});
  const path = (name: string): string => folder.path(name);
  let versions = 0;
  let linked: readonly string[] = [];
  const replace = async (next: SecretFiles): Promise<void> => {
    versions += 1;
    const version = `..version-${versions}`;
    await mkdir(path(version));
    for (const [name, text] of Object.entries(next)) await folder.write(join(version, name), text);
    await symlink(version, path('..data_new'));
    await rename(path('..data_new'), path('..data'));
    const names = Object.keys(next);
    for (const name of names.filter((one) => !linked.includes(one))) await symlink(join('..data', name), path(name));
    for (const name of linked.filter((one) => !names.includes(one))) await rm(path(name));
    linked = names;
  };
  await replace(files);
  return { root: folder.root, path, replace, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}
