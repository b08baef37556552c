import { givenOf, type Environment, type Given } from './source.ts';
import type { Variable } from './variable.ts';
import { variableGroups } from './variables.ts';

/** One variable as it takes effect, ready to be printed: no secret is in it. */
export interface EffectiveSetting {
  readonly name: string;
  readonly value: string;
  readonly origin: 'default' | 'given' | 'unset';
}

export interface EffectiveGroup {
  readonly title: string;
  readonly settings: readonly EffectiveSetting[];
}

/** Every setting of an environment without problems, in the order of the documentation. */
export function effectiveSettings(environment: Environment): readonly EffectiveGroup[] {
  return variableGroups.map(({ title, variables }) => ({
    title,
    settings: Object.entries<Variable>(variables).map(([name, variable]) =>
      describe(name, variable, givenOf(name, variable, environment)),
    ),
  }));
}

function describe(name: string, { secret }: Variable, given: Given): EffectiveSetting {
  switch (given.kind) {
    case 'nothing':
      return { name, origin: 'unset', value: '-' };
    case 'default':
      return { name, origin: 'default', value: given.text };
    case 'text':
      return { name, origin: 'given', value: secret === true ? '[secret]' : given.text };
    case 'file':
      return { name, origin: 'given', value: secret === true ? `[secret] in ${given.path}` : given.path };
    case 'twice':
      return { name, origin: 'given', value: '[secret]' };
  }
}
