#!/usr/bin/env node
import { parseCommand } from './cli/command.ts';
import { runCommand } from './cli/run-command.ts';

const stop = new AbortController();
let signals = 0;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    signals += 1;
    // Who asks a second time does not want to wait.
    if (signals > 1) process.exit(1);
    stop.abort();
  });
}

const command = parseCommand(process.argv.slice(2));
const code = await runCommand(command, {
  signal: stop.signal,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
});
// kafkajs can leave timers behind that would keep the process.
process.exit(code);
