import { editDistance } from './edit-distance.ts';
import type { Environment } from '../source.ts';
import { knownNames, variableEntries } from '../variables.ts';

/** Warns of variables that look like ours and are not, with the nearest name that is. Values are not repeated. */
export function unknownVariableWarnings(environment: Environment): readonly string[] {
  const known = new Set(knownNames);
  const prefixes = [...new Set(variableEntries.map(([name]) => `${name.split('_', 1).join('')}_`))];
  return Object.entries(environment)
    .filter(([name, value]) => value !== undefined && value !== '' && !known.has(name) && !isLeftAlone(name))
    .map(([name]) => name)
    .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
    .toSorted()
    .map((name) => `${name} is no setting; did you mean ${nearestTo(name)}?`);
}

/** What Kubernetes sets for a service that is called, say, `kafka`, and a variable that other programs read. */
function isLeftAlone(name: string): boolean {
  return name === 'HTTP_PROXY' || /_PORT(?:_|$)|_SERVICE_HOST$|_SERVICE_PORT/.test(name);
}

function nearestTo(name: string): string {
  return knownNames
    .map((known) => ({ known, distance: editDistance(name, known) }))
    .reduce((nearest, next) => (next.distance < nearest.distance ? next : nearest)).known;
}
