import type { Environment } from '../source.ts';
import { knownNames, variableEntries } from '../variables.ts';
import { editDistance } from './edit-distance.ts';

/** Warns of variables that look like settings but are not, and suggests the nearest name. Values are not printed. */
export function unknownVariableWarnings(environment: Environment): readonly string[] {
  const known = new Set(knownNames);
  const prefixes = [...new Set(variableEntries.map(([name]) => `${name.split('_', 1).join('')}_`))];
  return Object.entries(environment)
    .filter(([name, value]) => value !== undefined && value !== '' && !known.has(name) && !isIgnored(name))
    .map(([name]) => name)
    .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
    .toSorted()
    .map((name) => `${name} is not a setting; did you mean ${nearestTo(name)}?`);
}

/** Kubernetes sets such variables for a service named, for example, `kafka`. Other programs read `HTTP_PROXY`. */
function isIgnored(name: string): boolean {
  return name === 'HTTP_PROXY' || /_PORT(?:_|$)|_SERVICE_HOST$|_SERVICE_PORT/.test(name);
}

function nearestTo(name: string): string {
  return knownNames
    .map((known) => ({ known, distance: editDistance(name, known) }))
    .reduce((nearest, next) => (next.distance < nearest.distance ? next : nearest)).known;
}
