import type { TestOptions } from 'vitest';
import { isCi } from './ci.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** True of a long property that ran a tenth of its cases. */
    readonly isShortened?: boolean;
  }
}

/** Returns the options of a test that takes its number of cases from `casesOf`. The closing lines count such tests. */
export function longProperty(environment: NodeJS.ProcessEnv = process.env): TestOptions {
  return isCi(environment) ? {} : { meta: { isShortened: true } };
}

/** Returns the number of cases to run: all with `CI=true`, otherwise a tenth. */
export function casesOf(all: number, environment: NodeJS.ProcessEnv = process.env): number {
  return isCi(environment) ? all : Math.ceil(all / 10);
}
