import { sharesFirstPartition } from './partitions.ts';

/** Endpoints that fail, and the distribution of the load over all endpoints. */
export interface Fault {
  readonly name: string;
  /** Endpoints that accept connections and never send a byte. */
  readonly noHandshake: readonly number[];
  /** Endpoints that accept requests and never respond. */
  readonly noResponse: readonly number[];
  /** Gives half of all certificates to the first endpoint. */
  readonly isSkewed: boolean;
}

/** The same load without a fault and with it. */
export interface Comparison {
  /** A fault of other endpoints that ends before the measurement. A service that has run for long has met failures. */
  readonly earlierFault: Fault;
  readonly healthy: Fault;
  readonly faulty: Fault;
  readonly groups: readonly Group[];
}

/** Measured endpoints that the page shows in a row of their own. */
export interface Group {
  readonly name: string;
  readonly has: (endpoint: number) => boolean;
}

export const noFault: Fault = { name: 'all endpoints respond', noHandshake: [], noResponse: [], isSkewed: false };

export function comparisons(endpoints: number): readonly Comparison[] {
  const skewed: Fault = { ...noFault, name: 'one endpoint gets half', isSkewed: true };
  const otherEndpoints = everyTenth(5, endpoints);
  return [
    {
      earlierFault: { ...noFault, ...otherEndpoints },
      healthy: noFault,
      faulty: { ...noFault, name: 'one endpoint in ten never responds', ...everyTenth(0, endpoints) },
      groups: [{ name: 'one endpoint in ten never responds', has: () => true }],
    },
    {
      earlierFault: { ...skewed, ...otherEndpoints },
      healthy: skewed,
      faulty: { ...skewed, name: 'one endpoint gets half and never responds', noResponse: [0] },
      groups: [
        { name: 'one endpoint gets half of all certificates and never responds', has: () => true },
        { name: 'the same, owners in other partitions', has: (endpoint) => !sharesFirstPartition(endpoint) },
      ],
    },
  ];
}

/** Returns the endpoints with that last digit. Half of them fail before TLS, half after the request. */
function everyTenth(digit: number, endpoints: number): Pick<Fault, 'noHandshake' | 'noResponse'> {
  const failing = Array.from({ length: endpoints / 10 }, (_, number) => number * 10 + digit);
  return {
    noHandshake: failing.filter((_, index) => index % 2 === 0),
    noResponse: failing.filter((_, index) => index % 2 === 1),
  };
}

/** Measures endpoints that respond all the time: the same ones with the fault and without. */
export function isMeasured(endpoint: number, { earlierFault, faulty }: Comparison): boolean {
  return ![earlierFault, faulty].some(
    ({ noHandshake, noResponse }) => noHandshake.includes(endpoint) || noResponse.includes(endpoint),
  );
}

/** Returns the endpoint of the certificate with that number: all endpoints in turn, in a shuffled order. */
export function endpointOf(number: number, endpoints: number, { isSkewed }: Fault): number {
  if (!isSkewed) return inTurn(number, endpoints);
  return number % 2 === 0 ? 0 : inTurn((number - 1) / 2, endpoints);
}

/** Returns the number of all certificates if this many go to all endpoints in turn. */
export function certificatesWith(inTurnCount: number, { isSkewed }: Fault): number {
  return isSkewed ? 2 * inTurnCount : inTurnCount;
}

function inTurn(number: number, endpoints: number): number {
  return (number * 7919) % endpoints;
}
