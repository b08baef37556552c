import { backlogScenarios } from './backlog-scenarios.ts';
import { otherScenarios } from './other-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** Returns all scenarios for the service whose `main.ts` is the program. */
export function scenarios(program: string): readonly Scenario[] {
  return [...backlogScenarios(program), ...otherScenarios(program)];
}
