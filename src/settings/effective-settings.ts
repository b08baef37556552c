import { sourceOf, type Environment, type ValueSource } from './source.ts';
import type { Variable } from './variable.ts';
import { variableGroups } from './variables.ts';

/** One variable with the value in use, ready to be printed. It contains no secret. */
interface EffectiveSetting {
  readonly name: string;
  readonly value: string;
  readonly origin: 'default' | 'set' | 'unset';
}

export interface EffectiveGroup {
  readonly title: string;
  readonly settings: readonly EffectiveSetting[];
}

/** Returns every setting of a valid environment, in the order of the documentation. */
export function effectiveSettings(environment: Environment): readonly EffectiveGroup[] {
  return variableGroups.map(({ title, variables }) => ({
    title,
    settings: Object.entries<Variable>(variables).map(([name, variable]) =>
      describe(name, variable, sourceOf(name, variable, environment)),
    ),
  }));
}

function describe(name: string, { secret }: Variable, source: ValueSource): EffectiveSetting {
  switch (source.kind) {
    case 'unset':
      return { name, origin: 'unset', value: '-' };
    case 'default':
      return { name, origin: 'default', value: source.text };
    case 'text':
      return { name, origin: 'set', value: secret === true ? '[secret]' : source.text };
    case 'file':
      return { name, origin: 'set', value: secret === true ? `[secret] in ${source.path}` : source.path };
    case 'ambiguous':
      return { name, origin: 'set', value: '[secret]' };
  }
}
