/** What was learned of the addresses of one family: some, or the error that says why there are none. */
export type FamilyAnswer =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly kind: 'failure'; readonly error: unknown };

/** What a lookup of one name brought. It is partial while we do not know whether the other family has addresses too. */
export type NameAnswer = FamilyAnswer | { readonly kind: 'partial'; readonly addresses: readonly string[] };

/** One answer out of those for each address family, in their order. Addresses of one family make up for the other. */
export function mergeAnswers(answers: readonly FamilyAnswer[]): NameAnswer {
  const found = answers.filter((answer) => answer.kind === 'addresses');
  const errors = answers.filter((answer) => answer.kind === 'failure').map((answer) => answer.error);
  // "No such name" and "no address" are known for good; with any other error we simply do not know.
  const doubt = errors.find((error) => !isDefinite(error));
  if (found.length === 0) return { kind: 'failure', error: doubt ?? errors[0] };
  const addresses = found.flatMap((answer) => answer.addresses);
  if (doubt !== undefined) return { kind: 'partial', addresses };
  return { kind: 'addresses', addresses, ttlMs: Math.min(...found.map((answer) => answer.ttlMs)) };
}

function isDefinite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');
}
