/** The fields of `package.json` that are used here. */
interface Manifest {
  readonly devDependencies?: unknown;
}

/** The packages of `package-lock.json` by folder. The empty name is the project itself. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage extends Manifest {
  readonly version?: string;
  readonly dev?: boolean;
  /** True for packages that only some machines need, such as native ones. */
  readonly optional?: boolean;
}

export function manifestForProduction(manifest: Manifest): Manifest {
  return { ...manifest, devDependencies: {} };
}

/** Returns the lock file without packages for development. */
export function lockForProduction(lock: Lock): Lock {
  const packages = Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([folder, one]) => [folder, folder === '' ? manifestForProduction(one) : one] as const);
  return { ...lock, packages: Object.fromEntries(packages) };
}

/** Returns the lock file without optional packages. */
export function withoutOptional(lock: Lock): Lock {
  return {
    ...lock,
    packages: Object.fromEntries(Object.entries(lock.packages).filter(([, one]) => one.optional !== true)),
  };
}

/** Returns `name@version` of each package except the project itself, sorted. */
export function packagesIn({ packages }: Lock): readonly string[] {
  return Object.entries(packages)
    .filter(([folder]) => folder !== '')
    .map(([folder, { version }]) => `${folder.split('node_modules/').at(-1)}@${version}`)
    .toSorted();
}
