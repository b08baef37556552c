import type { ContainerSpec, Pods, PodSpec } from './pods.ts';

/** Lower user ids may belong to a user of the node. */
const lowestUser = 10_000;

/**
 * Lists violations of a strict pod policy. It contains the restricted level of the Pod Security Standards. It also requires
 * a read-only root file system, an unused user id, no token, guaranteed memory and a fixed image.
 */
export function policyProblems({ spec }: Pods): readonly string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const containerProblems = containers.flatMap((container) =>
    [
      ...userProblems(container, spec),
      ...privilegeProblems(container, spec),
      ...resourceProblems(container),
      ...imageProblems(container),
    ].map((problem) => `${container.name} ${problem}`),
  );
  return [...podProblems(spec), ...containerProblems];
}

const volumeTypes = new Set(['configMap', 'secret', 'projected', 'emptyDir', 'downwardAPI', 'csi', 'ephemeral']);

function podProblems({ volumes = [], securityContext, ...spec }: PodSpec): readonly string[] {
  const types = volumes.flatMap((volume) => Object.keys(volume).filter((name) => name !== 'name'));
  return when({
    'shares a namespace of the host': Boolean(spec.hostNetwork ?? spec.hostPID ?? spec.hostIPC),
    'mounts a volume of the host': types.some((type) => !volumeTypes.has(type)),
    'mounts a token': spec.automountServiceAccountToken !== false,
    'has the addresses of all services in its environment': spec.enableServiceLinks !== false,
    'sets kernel parameters': securityContext?.sysctls !== undefined,
  });
}

function userProblems({ securityContext }: ContainerSpec, { securityContext: ofPod }: PodSpec): readonly string[] {
  const { runAsNonRoot, runAsUser = 0, runAsGroup = 0 } = { ...ofPod, ...securityContext };
  return when({
    'may be root': runAsNonRoot !== true,
    'has a user or group of the node': runAsUser < lowestUser || runAsGroup < lowestUser,
  });
}

function privilegeProblems(
  { securityContext, ports = [] }: ContainerSpec,
  { securityContext: ofPod }: PodSpec,
): readonly string[] {
  const { capabilities, seccompProfile, ...own } = { ...ofPod, ...securityContext };
  return when({
    'may gain privileges': own.allowPrivilegeEscalation !== false || own.privileged === true,
    'has capabilities': capabilities?.drop?.join() !== 'ALL' || capabilities.add !== undefined,
    'may make any system call': !['RuntimeDefault', 'Localhost'].includes(seccompProfile?.type ?? ''),
    'can write to its root file system': own.readOnlyRootFilesystem !== true,
    'takes a port of the host': ports.some(({ hostPort }) => hostPort !== undefined),
  });
}

function resourceProblems({ resources: { requests = {}, limits = {} } = {} }: ContainerSpec): readonly string[] {
  return when({
    'asks for no processor time': requests['cpu'] === undefined,
    'is throttled': limits['cpu'] !== undefined,
    'is not promised the memory that it may use':
      limits['memory'] === undefined || requests['memory'] !== limits['memory'],
  });
}

function imageProblems({ image = '' }: ContainerSpec): readonly string[] {
  const tag = /:(?<tag>[^/:@]+)(?:@sha256:[0-9a-f]{64})?$/.exec(image)?.groups?.['tag'];
  return when({ 'runs whatever image is there that day': tag === undefined || tag === 'latest' });
}

function when(found: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(found).flatMap(([problem, isThere]) => (isThere ? [problem] : []));
}
