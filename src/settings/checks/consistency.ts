import { isKeyOf } from '../kinds/file-kinds.ts';
import type { ParsedVariables } from '../parse-variables.ts';
import { quote, requiredBy, type Problem } from '../problem.ts';
import type { VariableName } from '../variables.ts';
import { orderingProblems } from './ordering-rules.ts';
import { saslProblems } from './sasl-rules.ts';
import { topicRoleProblems } from './topic-roles.ts';

/** Returns the problems between variables that are valid by themselves. */
export function consistencyProblems(parsed: ParsedVariables): readonly Problem[] {
  return [
    ...orderingProblems(parsed.values),
    ...incompleteSetProblems(parsed),
    ...saslProblems(parsed),
    ...unusedTlsProblems(parsed),
    ...keyProblems(parsed),
    ...registryProblems(parsed),
    ...sealingProblems(parsed),
    ...headerProblems(parsed),
    ...topicRoleProblems(parsed.values),
  ];
}

/** Variables that must be set together or not at all. */
const variableSets: readonly (readonly VariableName[])[] = [
  ['KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'],
  ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD'],
];

function incompleteSetProblems({ isSet }: ParsedVariables): readonly Problem[] {
  return variableSets.flatMap((names) => {
    const present = names.filter(isSet);
    return names.filter((name) => !isSet(name)).flatMap((name) => requiredBy(present, name));
  });
}

function registryProblems({ isSet }: ParsedVariables): readonly Problem[] {
  const others = (['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD', 'SCHEMA_REGISTRY_CA_FILE'] as const).filter(
    isSet,
  );
  return isSet('SCHEMA_REGISTRY_URL') ? [] : requiredBy(others, 'SCHEMA_REGISTRY_URL');
}

/** Refuses TLS files without TLS: the mistake would send credentials in clear text. */
function unusedTlsProblems({ values, isSet }: ParsedVariables): readonly Problem[] {
  const files = (['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'] as const).filter(isSet);
  if (values.KAFKA_TLS !== false || files.length === 0) return [];
  return [{ variable: 'KAFKA_TLS', found: 'false', expected: `true, or ${files.join(' and ')} to be unset` }];
}

function keyProblems({ values, fileOf }: ParsedVariables): readonly Problem[] {
  const { KAFKA_TLS_CERT_FILE: certificate, KAFKA_TLS_KEY_FILE: key } = values;
  if (certificate === undefined || key === undefined || isKeyOf(certificate, key)) return [];
  const found = quote(fileOf('KAFKA_TLS_KEY_FILE') ?? '');
  return [{ variable: 'KAFKA_TLS_KEY_FILE', found, expected: 'the key of KAFKA_TLS_CERT_FILE' }];
}

function sealingProblems({ values, isSet }: ParsedVariables): readonly Problem[] {
  if (values.WEBHOOK_REQUIRE_SEALED !== true || isSet('WEBHOOK_KEYS_FILE')) return [];
  const expected = 'a value, because WEBHOOK_REQUIRE_SEALED is true';
  return [{ variable: 'WEBHOOK_KEYS_FILE', found: undefined, expected }];
}

/** Compares header names without case (RFC 9110, section 5.1). */
function headerProblems({ values }: ParsedVariables): readonly Problem[] {
  const { DELIVERY_ID_HEADER: id, DELIVERY_EVENT_TYPE_HEADER: eventType } = values;
  if (id === undefined || id.toLowerCase() !== eventType?.toLowerCase()) return [];
  return [{ variable: 'DELIVERY_ID_HEADER', found: id, expected: 'a different name than DELIVERY_EVENT_TYPE_HEADER' }];
}
