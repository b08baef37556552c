/** An organization and the number of its certificates in the demo. */
export interface Owner {
  readonly id: string;
  /** The partition of all its records, so that its certificates stay in order. */
  readonly partition: number;
  readonly completed: number;
  readonly expired: number;
}

/**
 * The owners of the demo. Those of a failing endpoint have few certificates, so that no circuit opens before the last failure
 * of the endpoint that always fails.
 */
export const owners = {
  harbour: { id: '665f1f77bcf86cd799439001', partition: 0, completed: 100, expired: 12 },
  northern: { id: '665f1f77bcf86cd799439002', partition: 1, completed: 80, expired: 10 },
  city: { id: '665f1f77bcf86cd799439003', partition: 2, completed: 24, expired: 40 },
  summit: { id: '665f1f77bcf86cd799439004', partition: 3, completed: 12, expired: 16 },
  sandbox: { id: '665f1f77bcf86cd799439005', partition: 4, completed: 10, expired: 8 },
} as const satisfies Readonly<Record<string, Owner>>;
