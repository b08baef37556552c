import { isWithFirst } from './partitions.ts';

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
  /** What had been wrong elsewhere, and was over by then: a service that has run for a while has met failures. */
  readonly before: Trouble;
  readonly without: Trouble;
  readonly having: Trouble;
  readonly groups: readonly Group[];
}

/** Some of those that are measured, with what the page calls them. */
export interface Group {
  readonly name: string;
  readonly has: (endpoint: number) => boolean;
}

export const fine: Trouble = { name: 'all are well', silent: [], mute: [], isLopsided: false };

/** The load is the same with the trouble and without. */
export function comparisons(endpoints: number): readonly Comparison[] {
  const lopsided: Trouble = { ...fine, name: 'one gets half', isLopsided: true };
  const others = blackHoles(5, endpoints);
  return [
    {
      before: { ...fine, ...others },
      without: fine,
      having: { ...fine, name: 'black holes', ...blackHoles(0, endpoints) },
      groups: [{ name: 'one endpoint in ten is a black hole', has: () => true }],
    },
    {
      before: { ...lopsided, ...others },
      without: lopsided,
      having: { ...lopsided, name: 'one gets half and hangs', mute: [0] },
      groups: [
        { name: 'one endpoint gets half of all certificates and hangs', has: () => true },
        { name: 'the same, for those in other partitions', has: (endpoint) => !isWithFirst(endpoint) },
      ],
    },
  ];
}

/** Every tenth endpoint, by its last digit. Half of them end before TLS, half after the request. */
function blackHoles(digit: number, endpoints: number): Pick<Trouble, 'silent' | 'mute'> {
  const holes = Array.from({ length: endpoints / 10 }, (_, number) => number * 10 + digit);
  return { silent: holes.filter((_, index) => index % 2 === 0), mute: holes.filter((_, index) => index % 2 === 1) };
}

/** Whose deliveries are measured: those of endpoints that are well all along, the same ones with the trouble and without. */
export function isMeasured(endpoint: number, { before, having }: Comparison): boolean {
  return ![before, having].some(({ silent, mute }) => silent.includes(endpoint) || mute.includes(endpoint));
}

/** To which endpoint the certificate with that number goes: all in turn, in an order that means nothing. */
export function endpointOf(number: number, endpoints: number, { isLopsided }: Trouble): number {
  if (!isLopsided) return inTurn(number, endpoints);
  return number % 2 === 0 ? 0 : inTurn((number - 1) / 2, endpoints);
}

/** How many certificates there are in all, when so many are for all endpoints in turn. */
export function certificatesWith(forAll: number, { isLopsided }: Trouble): number {
  return isLopsided ? 2 * forAll : forAll;
}

function inTurn(number: number, endpoints: number): number {
  return (number * 7919) % endpoints;
}
