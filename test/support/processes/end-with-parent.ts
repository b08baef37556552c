import { existsSync } from 'node:fs';

const setpriv = '/usr/bin/setpriv';

/** What stands before a command: on Linux the kernel ends it when this process ends, however that comes about. */
export function endWithParent(): readonly string[] {
  return process.platform === 'linux' && existsSync(setpriv) ? [setpriv, '--pdeathsig=KILL', '--'] : [];
}
