import { existsSync } from 'node:fs';

const setpriv = '/usr/bin/setpriv';

/** Returns a prefix for commands. On Linux, the kernel then kills the child process when this process ends or crashes. */
export function endWithParent(): readonly string[] {
  return process.platform === 'linux' && existsSync(setpriv) ? [setpriv, '--pdeathsig=KILL', '--'] : [];
}
