import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readText } from '../support/files/sources.ts';
import { problemIn } from './engines.ts';
import { buildStandIn } from './stand-in/stand-in.ts';

const run = promisify(execFile);

/**
 * What to build on: the base that the Dockerfile names if the engine has it or its registry answers, whatever comes of it
 * then; otherwise a stand-in for it, made here.
 */
export async function prepareBase(engine: string): Promise<string> {
  const named = /^ARG BASE=(?<name>.+)$/m.exec(readText('Dockerfile'))?.groups?.['name'] ?? '';
  const missing = await problemIn(() => run(engine, ['image', 'inspect', named]));
  if (missing === undefined || (await registryAnswers())) return named;
  process.stderr.write(
    `The registry of ${named} can't be reached from here: the image is built on a stand-in for it.\n`,
  );
  return buildStandIn(engine);
}

async function registryAnswers(): Promise<boolean> {
  try {
    const { headers } = await fetch('https://registry-1.docker.io/v2/', { signal: AbortSignal.timeout(5000) });
    return headers.has('docker-distribution-api-version');
  } catch {
    return false;
  }
}
