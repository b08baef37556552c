import { readText } from '../support/files/sources.ts';
import type { Judge, WarmVitest } from './warm-vitest.ts';

const path = 'src/deliveries/settle.ts';
/** With the defect, no delivery is ever settled. */
const [original, mutated] = [
  'switch (outcome.kind) {',
  "throw new Error('This is a canary.');\n  switch (outcome.kind) {",
];
const maxProcessorMs = 60_000;
const judges: Readonly<Record<Judge, string>> = {
  unit: 'test/deliveries/settle.test.ts',
  simulation: 'test/mutation/judges/seeds.judge.ts',
};

/**
 * Throws unless a plain defect is killed by either judge, and the file without it survives before and after. Otherwise
 * another text than that of the mutant would have been run, and no score means anything.
 */
export async function checkCanaries(vitest: WarmVitest): Promise<void> {
  const text = readText(path);
  if (!text.includes(original)) throw new Error(`the canary of ${path} is not in the file`);
  const isKilled = async (judge: Judge, replaced: string): Promise<boolean> => {
    vitest.replace(path, replaced);
    const run = await vitest.run([{ judge, path: judges[judge] }], { bail: true, maxProcessorMs, regions: 0 });
    vitest.replace(path, undefined);
    return run.failure !== undefined;
  };
  const harmless = `${text}\n// Changes nothing.\n`;
  const defect = text.replace(original, mutated);
  if (await isKilled('unit', harmless)) throw new Error('the unit tests kill a canary that changes nothing');
  if (!(await isKilled('unit', defect))) throw new Error('the unit tests let a canary survive');
  if (!(await isKilled('simulation', defect))) throw new Error('the simulation lets a canary survive');
  if (await isKilled('unit', harmless)) throw new Error('a canary is still run after it was replaced');
}
