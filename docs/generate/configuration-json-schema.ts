import { z } from 'zod';
import { eventTypes } from '../../src/certificates/certificate.ts';
import { configurationSchema } from '../../src/webhooks/configuration-schema.ts';
import { headerLimits, printableAscii, refusedNames, token } from '../../src/webhooks/header-rules.ts';
import type { JsonSchema } from './published-schema.ts';

const id = { type: 'string', minLength: 1 };
const idRule = 'At most 1,024 bytes of UTF-8, and no half of a surrogate pair.';
const nameRule = `It must not be ${[...refusedNames].join(', ')} or proxy-…, in any case.`;

/** Schemas of the fields whose rules are code. A rule that JSON Schema can't express is in the description. */
const ownSchemas: Readonly<Record<string, JsonSchema>> = {
  _id: { ...id, description: `The key of the record. ${idRule} It must not begin with \`certificate-webhooks.\`.` },
  _ownerId: { ...id, description: `The owner whose certificates are sent. ${idRule}` },
  url: {
    type: 'string',
    pattern: '^https:',
    description:
      'Absolute. At most 2,048 characters as the WHATWG parser writes it, without user info or fragment, and with a port of `DELIVERY_ALLOWED_PORTS`.',
  },
  enabled: { description: 'False: as if it did not exist.' },
  paused: { description: 'True: its deliveries wait, and no attempt is counted.' },
  events: { type: 'array', minItems: 1, items: { enum: eventTypes } },
  headerName: {
    pattern: token.source,
    description: `${nameRule} No custom header may have the same name, in any case.`,
  },
  limits: {
    description:
      'Of this webhook, for each instance of the service. `inFlight` is at most `DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT`.',
  },
};

const sealed = {
  type: 'string',
  pattern: String.raw`^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$`,
  description:
    'Sealed: a JWE in compact form (RFC 7516), whose plaintext is the JSON of the object. It must open with a key of `WEBHOOK_KEYS_FILE`.',
};

const customHeaders = {
  type: 'object',
  maxProperties: headerLimits.count,
  propertyNames: { pattern: token.source },
  additionalProperties: { type: 'string', pattern: printableAscii.source },
  description: `Headers of every delivery. ${nameRule.replace('It', 'A name')} No two names may be equal in any case. With the authentication header they have at most ${headerLimits.count} names, and ${headerLimits.bytes} bytes.`,
};

/** Returns the JSON Schema of webhook configurations as they are written, from the schema that reads them. */
export function configurationJsonSchema(): JsonSchema {
  const read = configurationSchema({ isAllowedPort: () => true, mostInFlight: Number.MAX_SAFE_INTEGER });
  const written = z.toJSONSchema(read, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  const schema: JsonSchema = Object(JSON.parse(JSON.stringify(written), withOwnSchema));
  const { $schema: _dialect, properties = {}, ...rest } = schema;
  const { auth, ...others } = Object(properties);
  return {
    title: 'Webhook configuration',
    description:
      'Other fields are ignored. At most 64 KiB, and nested at most 32 deep, the contents of sealed parts included.',
    ...rest,
    properties: {
      ...others,
      auth: { anyOf: [auth, sealed] },
      customHeaders: { anyOf: [customHeaders, sealed] },
      security: { description: 'Ignored: `allowedIps` has no effect.' },
    },
  };
}

function withOwnSchema(field: string, schema: unknown): unknown {
  const own = ownSchemas[field];
  return own === undefined ? schema : { ...Object(schema), ...own };
}
