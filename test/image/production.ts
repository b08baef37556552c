/** Of `package.json`, as far as it matters here. */
interface Manifest {
  readonly devDependencies?: unknown;
}

/** Of `package-lock.json`: packages by their folder; the empty name is the whole. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage extends Manifest {
  readonly version?: string;
  readonly dev?: boolean;
  /** Only for some machines, as native parts are. */
  readonly optional?: boolean;
}

export function manifestForProduction(manifest: Manifest): Manifest {
  return { ...manifest, devDependencies: {} };
}

/** What is locked for those who only run the project. */
export function lockForProduction(lock: Lock): Lock {
  const packages = Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([folder, one]) => [folder, folder === '' ? manifestForProduction(one) : one] as const);
  return { ...lock, packages: Object.fromEntries(packages) };
}

/** What every machine needs of it. */
export function withoutOptional(lock: Lock): Lock {
  return {
    ...lock,
    packages: Object.fromEntries(Object.entries(lock.packages).filter(([, one]) => one.optional !== true)),
  };
}

/** `name@version` of each package in it but the whole, in order. */
export function packagesIn({ packages }: Lock): readonly string[] {
  return Object.entries(packages)
    .filter(([folder]) => folder !== '')
    .map(([folder, { version }]) => `${folder.split('node_modules/').at(-1)}@${version}`)
    .toSorted();
}
