import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { portOf } from '../../support/endpoints/endpoint.ts';
import { root } from '../../support/files/sources.ts';
import { compiled } from '../../support/processes/compiled.ts';
import { poll } from '../../support/time/eventually.ts';
import { fewTiers, preamble, type Incident } from '../support/incident.ts';
import type { Check } from './faults.ts';

/** Where the player sits. */
export interface Desk {
  /** The command that opens a shell there. With `-c COMMAND` it runs that. */
  readonly shell: string;
  /** Resolves once the player says that it is over, and it is; or once the player gives up. */
  over(check: Check): Promise<string>;
}

/**
 * Makes a folder with the handbook, the values and last night's backup, and a shell whose programs are the stand-ins.
 * `withinMs` is the time for the service to notice a repair: it looks at topics twice a minute, and retries after 10 s.
 */
export async function openDesk(incident: Incident, stack: AsyncDisposableStack, withinMs = 45_000): Promise<Desk> {
  const { folder, cluster } = incident;
  const [home, programs, shell] = ['desk', 'bin', 'shell'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await incident.play('Back up the configurations', [0]);
  await mkdir(home);
  for (const name of ['README.md', 'docs', 'helm']) await symlink(join(root, name), join(home, name));
  for (const name of ['values.yaml', 'webhooks.jsonl']) await symlink(join(folder, name), join(home, name));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => void server.close());
  const say = `fetch("http://127.0.0.1:${portOf(server)}", { method: "POST", body: process.argv.slice(1).join(" ") })
    .then(async (answer) => { console.log(await answer.text()); process.exitCode = answer.ok ? 0 : 1 })`;
  const settings = { ...fewTiers, KAFKA_BROKERS: cluster.brokers.join(), DELIVERY_ALLOWED_PORTS: '1-65535' };
  const start = `${preamble}\nexport BROKERS=${cluster.brokers.join()} PS1='on call: '\n`;
  await writeFile(join(home, '.bashrc'), start);
  const environment = { HOME: home, PATH: `${programs}:/usr/local/bin:/usr/bin:/bin`, BASH_ENV: join(home, '.bashrc') };
  const variables = Object.entries({ ...compiled, ...environment }).map(([name, value]) => `${name}='${value}'`);
  const scripts = {
    [join(programs, 'solved')]: `exec '${process.execPath}' -e '${say}' -- "$@"`,
    [join(programs, 'give-up')]: `exec solved give up`,
    // The checkout of the operator, with the settings of the service.
    [join(programs, 'npx')]: `shift 2; ${Object.entries(settings)
      .map(([name, value]) => `${name}="\${${name}:-${value}}"`)
      .join(' ')} exec node '${folder}/image/src/main.ts' "$@"`,
    [shell]: `cd '${home}' && exec env -i TERM="$TERM" ${variables.join(' ')} bash --rcfile .bashrc -O expand_aliases "$@"`,
  };
  for (const [file, script] of Object.entries(scripts))
    await writeFile(file, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  const ends = async (check: Check, answer: string): Promise<string | undefined> => {
    if (answer === 'give up') return 'Given up';
    // An answer is right or wrong at once.
    const patience = { withinMs: answer === '' ? withinMs : 0, everyMs: 250 };
    return (await poll(async () => check(answer), patience)) ? 'Repaired' : undefined;
  };
  return {
    shell,
    over: (check) =>
      new Promise((resolve) => {
        const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
          const how = await ends(check, await text(request));
          response.writeHead(how === undefined ? 409 : 200, { connection: 'close' }).end(how ?? 'It is not over yet.');
          if (how !== undefined) resolve(how);
        };
        server.removeAllListeners('request').on('request', (...exchange) => void take(...exchange));
      }),
  };
}
