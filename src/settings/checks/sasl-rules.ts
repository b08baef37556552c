import type { ParsedVariables } from '../parse-variables.ts';
import { requiredBy, type Problem } from '../problem.ts';
import type { VariableName } from '../variables.ts';

/** The variables of a login. Those after `required` are optional. */
interface LoginVariables {
  readonly required: readonly VariableName[];
  readonly optional: readonly VariableName[];
}

const passwordLogin: LoginVariables = { required: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'], optional: [] };
const oauthLogin: LoginVariables = {
  required: ['KAFKA_OAUTH_TOKEN_URL', 'KAFKA_OAUTH_CLIENT_ID', 'KAFKA_OAUTH_CLIENT_SECRET'],
  optional: ['KAFKA_OAUTH_SCOPE'],
};

/** Returns the problems between the mechanism and the variables of both kinds of login. */
export function saslProblems(parsed: ParsedVariables): readonly Problem[] {
  const { values, isSet } = parsed;
  if (!isSet('KAFKA_SASL_MECHANISM')) return withoutMechanism(parsed);
  const mechanism = values.KAFKA_SASL_MECHANISM;
  // A wrong mechanism has its own problem, and says nothing about the others.
  if (mechanism === undefined) return [];
  const [own, other] = mechanism === 'oauthbearer' ? [oauthLogin, passwordLogin] : [passwordLogin, oauthLogin];
  const present: readonly VariableName[] = ['KAFKA_SASL_MECHANISM', ...own.required.filter(isSet)];
  return [
    ...own.required.filter((name) => !isSet(name)).flatMap((name) => requiredBy(present, name)),
    ...unused(mechanism, [...other.required, ...other.optional].filter(isSet)),
  ];
}

/** Returns every variable that is missing for the variables that are set. */
function withoutMechanism({ isSet }: ParsedVariables): readonly Problem[] {
  const logins = [passwordLogin, oauthLogin].flatMap(({ required, optional }) => {
    const present = [...required, ...optional].filter(isSet);
    return present.length === 0 ? [] : [{ present, missing: required.filter((name) => !isSet(name)) }];
  });
  return [
    ...requiredBy(
      logins.flatMap(({ present }) => present),
      'KAFKA_SASL_MECHANISM',
    ),
    ...logins.flatMap(({ present, missing }) => missing.flatMap((name) => requiredBy(present, name))),
  ];
}

function unused(mechanism: string, names: readonly VariableName[]): readonly Problem[] {
  if (names.length === 0) return [];
  const right = mechanism === 'oauthbearer' ? 'another mechanism' : '`oauthbearer`';
  const expected = `${right}, or ${names.join(' and ')} to be unset`;
  return [{ variable: 'KAFKA_SASL_MECHANISM', found: mechanism, expected }];
}
