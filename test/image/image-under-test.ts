import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { readText, root } from '../support/files/sources.ts';
import { runToEnd } from './container.ts';
import type { Runner } from './runner.ts';
import type { Surveyed } from './image-files.ts';

const run = promisify(execFile);

const node = '/usr/local/bin/node';

/** The image, built from what is checked out, and looked at from inside. */
export class ImageUnderTest {
  readonly engine: Runner;
  readonly name = 'localhost/certificate-webhooks:test';

  constructor() {
    const runner = inject('runner');
    // Tests are skipped where there is none.
    this.engine = runner.kind === 'found' ? runner.engine : 'docker';
  }

  /** As anybody builds it. What the build says is in the message when it fails. */
  async build(buildArguments: Readonly<Record<string, string>>): Promise<void> {
    const given = Object.entries(buildArguments).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
    await run('npm', ['run', 'image', '--', '--tag', this.name, ...given], { cwd: root, maxBuffer: 64 * 1024 ** 2 });
  }

  /** In the image's own Node; what the expression comes to, as text. */
  async evaluate(expression: string, options: readonly string[] = []): Promise<string> {
    return this.#runNode(['--print', expression], options);
  }

  /** All its files and folders. */
  async survey(): Promise<readonly Surveyed[]> {
    const program = readText('test/image/image-files.ts');
    const output = await this.#runNode(['--input-type=module-typescript', '--eval', program], []);
    return JSON.parse(output) as readonly Surveyed[];
  }

  /** What it says about itself. */
  async configuration(): Promise<ImageConfiguration> {
    const { stdout } = await run(this.engine, ['image', 'inspect', this.name]);
    const [image] = JSON.parse(stdout) as readonly { readonly Config: ImageConfiguration }[];
    if (image === undefined) throw new Error(`${this.engine} has no ${this.name}.`);
    return image.Config;
  }

  async #runNode(words: readonly string[], options: readonly string[]): Promise<string> {
    const ended = await runToEnd({ engine: this.engine, image: this.name, entrypoint: node, words, options });
    if (ended.code !== 0) throw new Error(`Node ended with ${ended.code} in the image: ${ended.errors}`);
    return ended.output.trimEnd();
  }
}

interface ImageConfiguration {
  readonly User: string;
  readonly ExposedPorts: unknown;
  readonly Labels: Readonly<Record<string, string>>;
}
