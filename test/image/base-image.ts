import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Lack } from '../support/programs/missing-programs.ts';
import { isMissing } from '../support/programs/programs.ts';
import { readText } from '../support/files/sources.ts';
import { problemIn } from './engines.ts';
import { buildStandIn, isStandInCached } from './stand-in/stand-in.ts';

const run = promisify(execFile);

/**
 * Resolves to the image to build on. This is the base in the Dockerfile if the engine has it or its registry answers.
 * Otherwise it builds a stand-in.
 */
export async function prepareBase(engine: string): Promise<string> {
  const name = namedBase();
  if (await isAvailable(name, engine)) return name;
  process.stderr.write(`The registry of ${name} cannot be reached: the image is built on a stand-in for it.\n`);
  return buildStandIn(engine);
}

/** Resolves to the programs that are missing for a base. Only a stand-in that is not in the cache needs one. */
export async function lacksOfBase(engine: string): Promise<readonly Lack[]> {
  const isPossible = !isMissing('mmdebstrap') || isStandInCached() || (await isAvailable(namedBase(), engine));
  return isPossible ? [] : [{ program: 'mmdebstrap' }];
}

function namedBase(): string {
  return /^ARG BASE=(?<name>.+)$/m.exec(readText('Dockerfile'))?.groups?.['name'] ?? '';
}

async function isAvailable(name: string, engine: string): Promise<boolean> {
  const missing = await problemIn(() => run(engine, ['image', 'inspect', name]));
  return missing === undefined || registryAnswers();
}

async function registryAnswers(): Promise<boolean> {
  try {
    const { headers } = await fetch('https://registry-1.docker.io/v2/', { signal: AbortSignal.timeout(5000) });
    return headers.has('docker-distribution-api-version');
  } catch {
    return false;
  }
}
