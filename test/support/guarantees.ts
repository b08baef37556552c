/** A guarantee of `docs/guarantees.md`. A scenario that shows one has its name among its tags. */
export interface Guarantee {
  readonly name: string;
  readonly title: string;
}

export const guarantees: readonly Guarantee[] = [
  { name: 'I1', title: 'a commit never passes an unsettled delivery' },
  { name: 'I2', title: 'only a 2xx or an acknowledged write settles a delivery' },
  { name: 'I3', title: 'every record ends in exactly one way' },
  { name: 'I4', title: 'everything has a limit' },
  { name: 'I5', title: 'no connection to an address outside policy' },
  { name: 'I6', title: 'no secret is emitted' },
  { name: 'I7', title: 'endpoints cost each other nothing' },
  { name: 'I8', title: 'a retry reaches the subscriber that failed, and no other' },
  { name: 'I9', title: 'configurations apply to what was written after them' },
  { name: 'I10', title: 'nothing that comes from outside stops the service' },
];
