import { isKeyOf } from '../kinds/file-kinds.ts';
import { orderProblems } from './ordering-rules.ts';
import { quote, type Problem } from '../problem.ts';
import type { Reading } from '../parse-variables.ts';
import { roleProblems } from './topic-roles.ts';
import type { VariableName } from '../variables.ts';

/** What is wrong with variables that are each right by themselves. */
export function relationProblems(reading: Reading): readonly Problem[] {
  return [
    ...orderProblems(reading.values),
    ...togetherProblems(reading),
    ...unusedTlsProblems(reading),
    ...keyProblems(reading),
    ...registryProblems(reading),
    ...sealingProblems(reading),
    ...headerProblems(reading),
    ...roleProblems(reading.values),
  ];
}

/** Who gives one of them gives all. */
const together: readonly (readonly VariableName[])[] = [
  ['KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'],
  ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
  ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD'],
];

function togetherProblems({ isGiven }: Reading): readonly Problem[] {
  return together.flatMap((names) => {
    const given = names.filter(isGiven);
    return names.filter((name) => !isGiven(name)).flatMap((name) => missingNextTo(name, given));
  });
}

function registryProblems({ isGiven }: Reading): readonly Problem[] {
  const others = (['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD', 'SCHEMA_REGISTRY_CA_FILE'] as const).filter(
    isGiven,
  );
  return isGiven('SCHEMA_REGISTRY_URL') ? [] : missingNextTo('SCHEMA_REGISTRY_URL', others);
}

function missingNextTo(variable: VariableName, given: readonly VariableName[]): readonly Problem[] {
  if (given.length === 0) return [];
  const expected = `a value, as ${given.join(' and ')} ${given.length === 1 ? 'is' : 'are'} set`;
  return [{ variable, given: undefined, expected }];
}

/** Files for TLS without TLS are a mistake that would send credentials in clear. */
function unusedTlsProblems({ values, isGiven }: Reading): readonly Problem[] {
  const files = (['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'] as const).filter(isGiven);
  if (values.KAFKA_TLS !== false || files.length === 0) return [];
  return [{ variable: 'KAFKA_TLS', given: 'false', expected: `true, or ${files.join(' and ')} not to be set` }];
}

function keyProblems({ values, fileOf }: Reading): readonly Problem[] {
  const { KAFKA_TLS_CERT_FILE: certificate, KAFKA_TLS_KEY_FILE: key } = values;
  if (certificate === undefined || key === undefined || isKeyOf(certificate, key)) return [];
  const given = quote(fileOf('KAFKA_TLS_KEY_FILE') ?? '');
  return [{ variable: 'KAFKA_TLS_KEY_FILE', given, expected: 'the key of KAFKA_TLS_CERT_FILE' }];
}

function sealingProblems({ values, isGiven }: Reading): readonly Problem[] {
  if (values.WEBHOOK_REQUIRE_SEALED !== true || isGiven('WEBHOOK_KEYS_FILE')) return [];
  return [{ variable: 'WEBHOOK_KEYS_FILE', given: undefined, expected: 'a value, as WEBHOOK_REQUIRE_SEALED is true' }];
}

/** Header names are the same in any case (RFC 9110, section 5.1). */
function headerProblems({ values }: Reading): readonly Problem[] {
  const { DELIVERY_ID_HEADER: id, DELIVERY_EVENT_TYPE_HEADER: eventType } = values;
  if (id === undefined || id.toLowerCase() !== eventType?.toLowerCase()) return [];
  return [{ variable: 'DELIVERY_ID_HEADER', given: id, expected: 'another name than DELIVERY_EVENT_TYPE_HEADER has' }];
}
