/** An organization, and how many of its certificates there are in the demo. */
export interface Owner {
  readonly id: string;
  /** Where its records go, so that its certificates stay in order. */
  readonly partition: number;
  readonly completed: number;
  readonly expired: number;
}

/**
 * Who has a failing endpoint has few certificates: more failures in a row than `CIRCUIT_FAILURES` would open its circuit,
 * and then most deliveries would wait without an attempt.
 */
export const owners = {
  harbour: { id: '665f1f77bcf86cd799439001', partition: 0, completed: 100, expired: 12 },
  northern: { id: '665f1f77bcf86cd799439002', partition: 1, completed: 80, expired: 10 },
  city: { id: '665f1f77bcf86cd799439003', partition: 2, completed: 24, expired: 40 },
  summit: { id: '665f1f77bcf86cd799439004', partition: 3, completed: 12, expired: 16 },
  sandbox: { id: '665f1f77bcf86cd799439005', partition: 4, completed: 10, expired: 8 },
} as const satisfies Readonly<Record<string, Owner>>;
