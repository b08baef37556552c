/** The answer for one address family: its addresses, or the error that explains why there are none. */
export type FamilyAnswer =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly kind: 'failure'; readonly error: unknown };

/**
 * The answer for one name. It is `partial` while the other family may have addresses that are not known. `whole` resolves to
 * the answer with the late family, and never rejects.
 */
export type NameAnswer =
  | FamilyAnswer
  | { readonly kind: 'partial'; readonly addresses: readonly string[]; readonly whole?: Promise<NameAnswer> };

/** Merges the answers for both families, in their order. Addresses of one family make up for a failure of the other. */
export function mergeAnswers(answers: readonly FamilyAnswer[]): NameAnswer {
  const found = answers.filter((answer) => answer.kind === 'addresses');
  const errors = answers.filter((answer) => answer.kind === 'failure').map((answer) => answer.error);
  const inconclusive = errors.find((error) => !isFinal(error));
  if (found.length === 0) return { kind: 'failure', error: inconclusive ?? errors[0] };
  const addresses = found.flatMap((answer) => answer.addresses);
  if (inconclusive !== undefined) return { kind: 'partial', addresses };
  return { kind: 'addresses', addresses, ttlMs: Math.min(...found.map((answer) => answer.ttlMs)) };
}

/** Returns true for "no such name" and "no address". After any other error the name may still have addresses. */
export function isFinal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');
}
