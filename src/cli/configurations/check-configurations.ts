import type { ConfigurationsContext } from './context.ts';
import { checkFiles } from './judge.ts';

/** Judges files. The exit code: 0, or 2 with every problem told. */
export async function checkConfigurations(files: readonly string[], context: ConfigurationsContext): Promise<0 | 2> {
  const { files: checked, isValid: isGood } = await checkFiles(files, context);
  for (const { path, problems } of checked) if (problems.length === 0) context.out(`${path}: ok`);
  return isGood ? 0 : 2;
}
