/** What a lookup of one name brought: addresses, or the error that says why there are none. */
export type NameAnswer =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly kind: 'failure'; readonly error: unknown };

/** One answer out of those for each address family, in their order. Addresses of one family make up for the other. */
export function mergeAnswers(answers: readonly NameAnswer[]): NameAnswer {
  const found = answers.filter((answer) => answer.kind === 'addresses');
  if (found.length > 0) {
    return {
      kind: 'addresses',
      addresses: found.flatMap((answer) => answer.addresses),
      ttlMs: Math.min(...found.map((answer) => answer.ttlMs)),
    };
  }
  const errors = answers.filter((answer) => answer.kind === 'failure').map((answer) => answer.error);
  // "No such name" and "no address" are known for good; with any other error we simply do not know.
  return { kind: 'failure', error: errors.find((error) => !isDefinite(error)) ?? errors[0] };
}

function isDefinite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');
}
