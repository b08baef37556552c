import { backlogScenarios } from './backlog-scenarios.ts';
import { otherScenarios } from './other-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** `program` is the service's own. */
export function scenarios(program: string): readonly Scenario[] {
  return [...backlogScenarios(program), ...otherScenarios(program)];
}
