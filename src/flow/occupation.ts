/** The things that a delivery occupies in one state. */
export interface Occupied {
  /** Whose deliveries count as active in the window of their partition. One that has left the window does not come back. */
  readonly window: 'all' | 'retries' | 'none';
  /** A place in the line of its endpoint, in the waiting room or outside it. */
  readonly line?: 'inside' | 'outside';
  /** The turn of its owner, who starts nothing more in the partition. */
  readonly turn?: boolean;
  /** One of the endpoint's requests in flight. */
  readonly request?: true;
  /** A part of what all such endpoints share: of the waiting places in a line, or of the requests in flight. */
  readonly part?: 'suspect' | 'paced';
}

/**
 * The states of a delivery that has started, and what it occupies in each. All but the last count as a started delivery of the
 * group. Nothing else is counted of a delivery, and only `DeliveryRun` changes these counts.
 */
export const occupation = {
  /** Our own code decides what comes next: before its attempt, and between the outcome and what follows. */
  deciding: { window: 'all' },
  /** Waits outside the full waiting room of a healthy endpoint. */
  outside: { window: 'all', line: 'outside', turn: true },
  waiting: { window: 'all', line: 'inside' },
  /** Waits for an endpoint that fails or is late. A sick endpoint stops no other one. */
  waiting_suspect: { window: 'retries', line: 'inside', part: 'suspect' },
  /** Waits for the `perMinute` of its webhook, or for the pace of its endpoint. */
  waiting_paced: { window: 'none', line: 'inside', part: 'paced' },
  sent: { window: 'all', request: true },
  /** Sent while its endpoint failed or was late. */
  sent_suspect: { window: 'retries', request: true, part: 'suspect' },
  /** Sent, and out for more than a second. */
  late: { window: 'retries', request: true, part: 'suspect' },
  /** On its way to a tier, to the dead letters or to the results. */
  writing: { window: 'retries' },
  /** A retry that needs no endpoint, because it is not due or has expired. It moves on to another topic. */
  moving_on: { window: 'none' },
  ended: { window: 'none' },
} as const satisfies Readonly<Record<string, Occupied>>;

export type DeliveryState = keyof typeof occupation;
export type Occupation = Readonly<Record<DeliveryState, Occupied>>;
