import { describe, expect, it } from 'vitest';
import { startContainer, type Container, type ExistingObjects } from './container.ts';
import type { ContainerSpec, PodSpec } from './pods.ts';

const outside: ExistingObjects = {
  secrets: { login: { password: 'hush', user: 'me' } },
  configMaps: { hosts: { kafka: 'kafka:9092' } },
};

function start(container: Partial<ContainerSpec>, spec: Partial<PodSpec> = {}): Container {
  const whole = { name: 'main', ...container };
  const pods = { name: 'Job/x', labels: {}, annotations: {}, container: whole, spec: { ...spec, containers: [whole] } };
  return startContainer(pods, [], outside);
}

describe('a container', () => {
  it('has its variables, with references to earlier ones replaced', () => {
    const { environment, args } = start({
      envFrom: [{ configMapRef: { name: 'hosts' } }],
      env: [
        { name: 'A', value: 'a $(kafka) $(B) $$(kafka) $$' },
        { name: 'B', valueFrom: { secretKeyRef: { name: 'login', key: 'user' } } },
      ],
      args: ['--user=$(B)'],
    });
    expect(environment).toEqual({ kafka: 'kafka:9092', A: 'a kafka:9092 $(B) $(kafka) $', B: 'me' });
    expect(args).toEqual(['--user=me']);
  });

  it('has the keys of Secrets and ConfigMaps as files', () => {
    const projected = {
      sources: [
        { secret: { name: 'login', items: [{ key: 'password', path: 'PASSWORD' }] } },
        { configMap: { name: 'hosts' } },
      ],
    };
    const { files } = start(
      {
        volumeMounts: [
          { name: 'all', mountPath: '/etc/all' },
          { name: 'login', mountPath: '/etc/login' },
        ],
      },
      {
        volumes: [
          { name: 'all', projected },
          { name: 'login', secret: { secretName: 'login' } },
        ],
      },
    );
    expect(Object.fromEntries(files)).toEqual({
      '/etc/all/PASSWORD': 'hush',
      '/etc/all/kafka': 'kafka:9092',
      '/etc/login/password': 'hush',
      '/etc/login/user': 'me',
    });
  });

  it.each<[missing: string, container: Partial<ContainerSpec>, volumes: PodSpec['volumes']]>([
    ['no nothing', { envFrom: [{ secretRef: { name: 'nothing' } }] }, []],
    ['no key token', { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'token' } } }] }, []],
    ['no volume x', { volumeMounts: [{ name: 'x', mountPath: '/x' }] }, []],
    ['a sub path', { volumeMounts: [{ name: 'x', mountPath: '/x', subPath: 'y' }] }, [{ name: 'x', emptyDir: {} }]],
  ])('does not start with %s', (missing, container, volumes) => {
    expect(() => start(container, volumes === undefined ? {} : { volumes })).toThrow(missing);
  });
});
