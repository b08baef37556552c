import { globSync } from 'node:fs';
import { beforeAll, describe, expect, inject, it, onTestFailed } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { aCertificateDocument, json } from '../support/builders.ts';
import { eventually } from '../support/time/eventually.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { webhookAt, startPlatform } from '../support/service/platform.ts';
import { readText, root } from '../support/files/sources.ts';
import { answersOk } from '../support/processes/answers-ok.ts';
import { skippedWithout } from '../support/programs/needs.ts';
import { prepareBase } from './base-image.ts';
import { Container, runToEnd } from './container.ts';
import { ImageUnderTest } from './image-under-test.ts';
import { lockForProduction, packagesIn, withoutOptional, type Lock } from './production.ts';
import { revision } from './revision.ts';

const home = '/opt/certificate-webhooks';

/** Options for a container without privileges or writable files, and with little memory. */
const locked = ['--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges', '--memory', '256m'];

const runner = inject('runner');

describe('the image', runner.kind === 'none' ? skippedWithout(runner.lacks) : {}, () => {
  const image = new ImageUnderTest();
  const { engine, name } = image;

  let checkedOut: { readonly commit: string; readonly sources: readonly string[] };

  beforeAll(async () => {
    const base = await prepareBase(engine);
    checkedOut = { commit: await revision(), sources: globSync('src/**/*.ts', { cwd: root }) };
    await image.build({ BASE: base, SOURCE: 'https://git.example.com/hooks', LICENSES: 'MIT' });
  }, 600_000);

  const read = (file: string): Promise<string> => image.evaluate(`fs.readFileSync('${home}/${file}', 'utf8')`);
  const readLock = async (): Promise<Lock> => JSON.parse(await read('node_modules/.package-lock.json')) as Lock;

  it('delivers a certificate without privileges or writable files, and drains on SIGTERM', async () => {
    await using platform = await startPlatform();
    await platform.configure(webhookAt(platform, '/a'));
    const port = await findFreePorts(1);
    const authority = '/etc/authority.pem';
    await using container = new Container({
      engine,
      image: name,
      environment: { ...platform.environment, DELIVERY_CA_FILE: authority, HTTP_PORT: String(port) },
      options: [
        ...locked,
        ...noTemporaryFiles[engine],
        '--volume',
        `${platform.environment['DELIVERY_CA_FILE']}:${authority}:ro,z`,
      ],
    });
    onTestFailed(async () => void process.stderr.write((await container.ended).output));
    await eventually('the service in the container is ready', async () => {
      await container.assertRunning();
      return answersOk(`http://127.0.0.1:${port}/readyz`);
    });
    await platform.complete(aCertificateDocument());
    const [request] = await platform.endpoint.received(1);
    expect(request?.body).toEqual(json(aCertificateDocument()));
    await container.signal('SIGTERM');
    const { code, output } = await container.ended;
    expect(output).toContain('"event":"service.stopped","drained":true');
    expect(code).toBe(0);
  });

  it('opens no debugger on SIGUSR1, and serves on', async () => {
    const port = await findFreePorts(1);
    const url = `http://127.0.0.1:${port}/livez`;
    const environment = { KAFKA_BROKERS: '127.0.0.1:1', HTTP_PORT: String(port) };
    await using container = new Container({ engine, image: name, environment, options: locked });
    await eventually('the service in the container answers', async () => {
      await container.assertRunning();
      return answersOk(url);
    });
    await container.signal('SIGUSR1');
    // The process answers after it has had the time to open one.
    for (let request = 0; request < 10; request += 1) expect(await answersOk(url)).toBe(true);
    await container.signal('SIGTERM');
    const { code, errors } = await container.ended;
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it('prints the settings or their problems on check-config', async () => {
    const options = { engine, image: name, args: ['check-config'], options: locked };
    const right = await runToEnd({ ...options, environment: { KAFKA_BROKERS: 'kafka:9092' } });
    expect(right).toMatchObject({ code: 0, output: expect.stringContaining('kafka:9092'), errors: '' });
    const wrong = await runToEnd(options);
    expect(wrong).toMatchObject({ code: 2, output: '', errors: expect.stringContaining('KAFKA_BROKERS is not set') });
  });

  it('runs as process 1 of a user that is not root, by number', async () => {
    expect((await image.configuration()).User).toBe('65532:65532');
    const ids = await image.evaluate('[process.getuid(), process.getgid(), process.pid].join()', locked);
    expect(ids).toBe('65532,65532,1');
  });

  it.each([256, 512, 1024])('limits its heap to a share of %i MiB of memory, with any NODE_OPTIONS', async (memory) => {
    const limit = await image.evaluateAsService('v8.getHeapStatistics().heap_size_limit / 1024 ** 2', [
      `--memory=${memory}m`,
      '--env=NODE_OPTIONS=--max-old-space-size=100 --trace-warnings',
    ]);
    expect(Number(limit) / memory).toBeGreaterThan(0.65);
    expect(Number(limit) / memory).toBeLessThan(0.8);
  });

  it('has files that root owns, and lets its user write to /tmp alone', async () => {
    const files = await image.listFiles();
    expect(files.filter(({ owner }) => owner !== 0)).toEqual([]);
    expect(files.filter(({ isWritable }) => isWritable).map(({ path }) => path)).toEqual(['/tmp']);
  });

  it('contains Node with its libraries, but no shell, package manager or other program', async () => {
    const files = (await image.listFiles()).filter(({ isFolder }) => !isFolder).map(({ path }) => path);
    const expected = [`${home}/`, ...fromEngines].flatMap((start) => files.filter((path) => path.startsWith(start)));
    const others = new Set(files).difference(new Set(expected));
    expect([...others].filter((path) => !isLibrary.test(path) && !isNotice.test(path)).toSorted()).toEqual([
      '/etc/group',
      '/etc/nsswitch.conf',
      '/etc/os-release',
      '/etc/passwd',
      '/usr/local/bin/node',
    ]);
  });

  it('contains the sources and production dependencies, and nothing else of the repository', async () => {
    const files = (await image.listFiles()).filter(({ path, isFolder }) => !isFolder && path.startsWith(`${home}/`));
    const paths = files.map(({ path }) => path.slice(home.length + 1));
    expect(paths.filter((path) => !path.startsWith('node_modules/')).toSorted()).toEqual(
      [...checkedOut.sources, 'package.json', 'sbom.cdx.json'].toSorted(),
    );
    const installed = new Set(packagesIn(await readLock()));
    const needed = lockForProduction(JSON.parse(readText('package-lock.json')) as Lock);
    expect([...installed.difference(new Set(packagesIn(needed)))]).toEqual([]);
    expect([...new Set(packagesIn(withoutOptional(needed))).difference(installed)]).toEqual([]);
  });

  it('can load the native parts of its packages', async () => {
    const files = "fs.globSync('node_modules/**/*.node')";
    expect(await image.evaluate(`${files}.map((file) => typeof require('./' + file)).join()`)).toMatch(/^(object,?)*$/);
  });

  it('lists its packages in a bill of materials', async () => {
    const { components, metadata } = JSON.parse(await read('sbom.cdx.json')) as Bom;
    expect(components.map((one) => `${one.name}@${one.version}`).toSorted()).toEqual(packagesIn(await readLock()));
    expect(metadata.component).toMatchObject({ name: packageJson.name, version: packageJson.version });
  });

  it('names its title, version and commit in its labels', async () => {
    const { Labels, ExposedPorts } = await image.configuration();
    expect(Labels).toMatchObject({
      'org.opencontainers.image.title': packageJson.name,
      'org.opencontainers.image.description': packageJson.description,
      'org.opencontainers.image.version': packageJson.version,
      'org.opencontainers.image.revision': checkedOut.commit,
      'org.opencontainers.image.source': 'https://git.example.com/hooks',
      'org.opencontainers.image.licenses': 'MIT',
    });
    expect(ExposedPorts).toEqual({ '8080/tcp': {} });
  });
});

/** Options against writable temporary folders. Only Podman creates them, and Docker does not know the option. */
const noTemporaryFiles = { docker: [], podman: ['--read-only-tmpfs=false'] } as const;

/** Files that engines add to every container. */
const fromEngines = ['/.dockerenv', '/etc/hostname', '/etc/hosts', '/etc/mtab', '/etc/resolv.conf', '/run/'];

const isLibrary = /^\/(?:usr\/)?lib(?:64)?\/.*\.so\.\d+$/;
/** Licences, and package data for vulnerability scanners. */
const isNotice = /^\/usr\/share\/doc\/[^/]+\/copyright$|^\/var\/lib\/dpkg\/status\.d\/[^/]+$/;

interface Bom {
  readonly metadata: { readonly component: unknown };
  readonly components: readonly { readonly name: string; readonly version: string }[];
}
