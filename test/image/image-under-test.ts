import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { readText, root } from '../support/files/sources.ts';
import { runToEnd } from './container.ts';
import type { Runner } from './runner.ts';
import type { ImageFile } from './image-files.ts';

const run = promisify(execFile);

const node = '/usr/local/bin/node';

/** The image built from this checkout, with methods to inspect it. */
export class ImageUnderTest {
  readonly engine: Runner;
  readonly name = 'localhost/certificate-webhooks:test';

  constructor() {
    const runner = inject('runner');
    // Without an engine the tests are skipped.
    this.engine = runner.kind === 'found' ? runner.engine : 'docker';
  }

  /** Builds the image with `npm run image`. The error contains the output of a failed build. */
  async build(buildArguments: Readonly<Record<string, string>>): Promise<void> {
    const pairs = Object.entries(buildArguments).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
    await run('npm', ['run', 'image', '--', '--tag', this.name, ...pairs], { cwd: root, maxBuffer: 64 * 1024 ** 2 });
  }

  /** Evaluates an expression in Node inside the image. Resolves to the result as text. */
  async evaluate(expression: string, options: readonly string[] = []): Promise<string> {
    return this.#runNode(['--print', expression], options);
  }

  /** Evaluates an expression with the options of Node that the entry point has. */
  async evaluateAsService(expression: string, options: readonly string[]): Promise<string> {
    const [, ...words] = (await this.configuration()).Entrypoint;
    return this.#runNode([...words.slice(0, -1), '--print', expression], options);
  }

  /** Lists all files and folders of the image. */
  async listFiles(): Promise<readonly ImageFile[]> {
    const program = readText('test/image/image-files.ts');
    const output = await this.#runNode(['--input-type=module-typescript', '--eval', program], []);
    return JSON.parse(output) as readonly ImageFile[];
  }

  /** Returns the configuration of the image. */
  async configuration(): Promise<ImageConfiguration> {
    const { stdout } = await run(this.engine, ['image', 'inspect', this.name]);
    const [image] = JSON.parse(stdout) as readonly { readonly Config: ImageConfiguration }[];
    if (image === undefined) throw new Error(`${this.engine} has no ${this.name}.`);
    return image.Config;
  }

  async #runNode(args: readonly string[], options: readonly string[]): Promise<string> {
    const ended = await runToEnd({ engine: this.engine, image: this.name, entrypoint: node, args, options });
    if (ended.code !== 0) throw new Error(`Node ended with ${ended.code} in the image: ${ended.errors}`);
    return ended.output.trimEnd();
  }
}

interface ImageConfiguration {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly ExposedPorts: unknown;
  readonly Labels: Readonly<Record<string, string>>;
}
