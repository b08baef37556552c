/** A string in the place of `auth` or `customHeaders` is a JWE (RFC 7516). */
export const notSealedYet = 'sealed configurations need WEBHOOK_KEYS_FILE, which this version does not read yet';
