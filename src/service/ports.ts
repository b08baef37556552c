interface PortRange {
  readonly first: number;
  readonly last: number;
}

export function isAllowedPort(allowed: readonly PortRange[], port: number): boolean {
  return allowed.some(({ first, last }) => first <= port && port <= last);
}
