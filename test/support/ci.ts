/** True where a run is to leave nothing out: a missing program fails there, and long properties run all their cases. */
export function isCi(environment: NodeJS.ProcessEnv = process.env): boolean {
  return ['true', '1'].includes(environment['CI'] ?? '');
}
