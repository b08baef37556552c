import type { Manifest } from './kinds.ts';
import { allOf } from './manifests.ts';
import type { ContainerSpec, Pods, PodSpec } from './pods.ts';

type Data = Readonly<Record<string, string>>;

/** Secrets and ConfigMaps that exist in the cluster without the chart, by name. */
export interface ExistingObjects {
  readonly secrets?: Readonly<Record<string, Data>>;
  readonly configMaps?: Readonly<Record<string, Data>>;
}

/** A container as seen by its process. */
export interface Container {
  readonly environment: Data;
  readonly args: readonly string[];
  /** The contents of the mounted files, by path. */
  readonly files: ReadonlyMap<string, string>;
}

type Source = NonNullable<ContainerSpec['env']>[number]['valueFrom'];
type Volume = NonNullable<PodSpec['volumes']>[number];

/** Returns the first container as a node would start it. Throws when a required object is missing. */
export function startContainer(
  { container, spec }: Pods,
  manifests: readonly Manifest[],
  outside: ExistingObjects = {},
): Container {
  const store = createStore(manifests, outside);
  const environment = environmentOf(container, store);
  const args = (container.args ?? []).map((arg) => expand(arg, environment));
  const files = (container.volumeMounts ?? []).flatMap(({ name, mountPath, subPath }) => {
    const volume = spec.volumes?.find((one) => one.name === name);
    if (volume === undefined) throw new Error(`There is no volume ${name}.`);
    // A file mounted by sub path is never updated.
    if (subPath !== undefined) throw new Error(`${mountPath} is mounted by a sub path.`);
    return Object.entries(contentOf(volume, store)).map(([file, text]) => [`${mountPath}/${file}`, text] as const);
  });
  return { environment, args, files: new Map(files) };
}

interface Store {
  readonly secret: (name: string | undefined) => Data;
  readonly configMap: (name: string | undefined) => Data;
}

function createStore(manifests: readonly Manifest[], { secrets = {}, configMaps = {} }: ExistingObjects): Store {
  const ownMaps = allOf(manifests, 'ConfigMap').map(({ metadata, data }) => [metadata?.name, data ?? {}] as const);
  const ownSecrets = allOf(manifests, 'Secret').map(
    ({ metadata, stringData }) => [metadata?.name, stringData ?? {}] as const,
  );
  const find = (all: ReadonlyMap<string | undefined, Data>) => (name: string | undefined) => {
    const data = all.get(name);
    if (data === undefined) throw new Error(`There is no ${name}.`);
    return data;
  };
  return {
    secret: find(new Map([...ownSecrets, ...Object.entries(secrets)])),
    configMap: find(new Map([...ownMaps, ...Object.entries(configMaps)])),
  };
}

function environmentOf({ env = [], envFrom = [] }: ContainerSpec, store: Store): Data {
  const environment: Record<string, string> = {};
  for (const { configMapRef, secretRef } of envFrom) {
    if (configMapRef !== undefined) Object.assign(environment, store.configMap(configMapRef.name));
    if (secretRef !== undefined) Object.assign(environment, store.secret(secretRef.name));
  }
  for (const { name, value = '', valueFrom } of env) {
    environment[name] = valueFrom === undefined ? expand(value, environment) : valueOf(valueFrom, store);
  }
  return environment;
}

/** Replaces `$(NAME)` by the value of an earlier variable, and `$$` by a dollar. */
function expand(text: string, environment: Data): string {
  return text.replaceAll(/\$(?:\$|\((\w+)\))/g, (all, name?: string) =>
    name === undefined ? '$' : (environment[name] ?? all),
  );
}

function valueOf({ configMapKeyRef, secretKeyRef, fieldRef }: NonNullable<Source>, store: Store): string {
  if (configMapKeyRef !== undefined) return at(store.configMap(configMapKeyRef.name), configMapKeyRef.key);
  if (secretKeyRef !== undefined) return at(store.secret(secretKeyRef.name), secretKeyRef.key);
  return `the pod's ${fieldRef?.fieldPath ?? 'resources'}`;
}

function contentOf({ secret, configMap, projected }: Volume, store: Store): Data {
  if (secret !== undefined) return chosen(store.secret(secret.secretName), secret.items);
  if (configMap !== undefined) return chosen(store.configMap(configMap.name), configMap.items);
  const sources = (projected?.sources ?? []).map((source) =>
    source.secret === undefined
      ? chosen(store.configMap(source.configMap?.name), source.configMap?.items)
      : chosen(store.secret(source.secret.name), source.secret.items),
  );
  return Object.assign({}, ...sources);
}

function chosen(data: Data, items: readonly { readonly key: string; readonly path: string }[] | undefined): Data {
  return items === undefined ? data : Object.fromEntries(items.map(({ key, path }) => [path, at(data, key)]));
}

function at(data: Data, key: string): string {
  const value = data[key];
  if (value === undefined) throw new Error(`There is no key ${key}.`);
  return value;
}
