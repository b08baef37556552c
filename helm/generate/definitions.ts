import { closedObject, type JsonSchema } from './json-schema.ts';

/** Parts of the schema that several values refer to. */
export const definitions: Readonly<Record<string, JsonSchema>> = {
  /** The name of a Kubernetes object. May be empty. */
  name: { type: 'string', pattern: '^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$' },
  /** A name that a Service can have too. */
  dnsLabel: { type: 'string', pattern: '^([a-z]([a-z0-9-]{0,61}[a-z0-9])?)?$' },
  strings: { type: 'object', additionalProperties: { type: 'string' } },
  port: { type: 'integer', minimum: 1, maximum: 65_535 },
  promDuration: { type: 'string', pattern: '^([0-9]+(ms|s|m|h|d|w|y))*$' },
  probe: closedObject({
    initialDelaySeconds: { type: 'integer', minimum: 0 },
    periodSeconds: { type: 'integer', minimum: 1 },
    timeoutSeconds: { type: 'integer', minimum: 1 },
    failureThreshold: { type: 'integer', minimum: 1 },
    successThreshold: { type: 'integer', minimum: 1 },
  }),
};

/** The changes to alerts, by name. */
export function alertsDefinition(names: readonly string[]): JsonSchema {
  return closedObject(Object.fromEntries(names.map((name) => [name, { $ref: '#/definitions/alert' }])));
}

export const alertDefinition: JsonSchema = closedObject({
  enabled: { type: 'boolean' },
  threshold: { type: ['number', 'string'], pattern: '^[0-9]+([.][0-9]+)?$' },
  for: { $ref: '#/definitions/promDuration' },
  keepFiringFor: { $ref: '#/definitions/promDuration' },
  severity: { type: 'string', minLength: 1 },
  labels: { $ref: '#/definitions/strings' },
  annotations: { $ref: '#/definitions/strings' },
});
