import type { ConfigurationsContext } from './context.ts';
import { checkFiles } from './check-files.ts';

/** Validates files and prints every problem. Returns exit code 2 with problems, else 0. */
export async function checkConfigurations(files: readonly string[], context: ConfigurationsContext): Promise<0 | 2> {
  const { files: checked, isValid } = await checkFiles(files, context);
  for (const { path, problems } of checked) if (problems.length === 0) context.out(`${path}: ok`);
  return isValid ? 0 : 2;
}
