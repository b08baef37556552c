/** What is wrong with some endpoints, and who gets how many of the certificates. */
export interface Trouble {
  readonly name: string;
  /** Endpoints that take connections and never say a word, and those that take requests and never answer. */
  readonly silent: readonly number[];
  readonly mute: readonly number[];
  /** Whether the first endpoint gets half of all certificates. */
  readonly isLopsided: boolean;
}

export interface Comparison {
  readonly name: string;
  readonly without: Trouble;
  readonly having: Trouble;
}

export const fine: Trouble = { name: 'all are well', silent: [], mute: [], isLopsided: false };

/** Half of the black holes end before TLS, half after the request. The load is the same with them and without. */
export function comparisons(endpoints: number): readonly Comparison[] {
  const holes = Array.from({ length: endpoints / 10 }, (_, number) => number * 10);
  const silent = holes.filter((_, index) => index % 2 === 0);
  const mute = holes.filter((_, index) => index % 2 === 1);
  return [
    {
      name: 'one endpoint in ten is a black hole',
      without: fine,
      having: { ...fine, name: 'black holes', silent, mute },
    },
    {
      name: 'one endpoint gets half of all certificates and hangs',
      without: { ...fine, name: 'one gets half', isLopsided: true },
      having: { ...fine, name: 'one gets half and hangs', isLopsided: true, mute: [0] },
    },
  ];
}

/** Whose deliveries are measured: the same endpoints with the trouble and without. */
export function isMeasured(endpoint: number, { having }: Comparison): boolean {
  return !having.silent.includes(endpoint) && !having.mute.includes(endpoint);
}

/** To which endpoint the certificate with that number goes: all in turn, in an order that means nothing. */
export function endpointOf(number: number, endpoints: number, { isLopsided }: Trouble): number {
  if (isLopsided && number % 2 === 0) return 0;
  return (number * 7919) % endpoints;
}
