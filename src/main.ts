#!/usr/bin/env node
import { isatty } from 'node:tty';

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

// Loading takes half a second, and a signal that comes meanwhile would be lost on the first process of a container.
const { parseCommand } = await import('./cli/command.ts');
const { runCommand } = await import('./cli/run-command.ts');

const command = parseCommand(process.argv.slice(2));
// Who has read enough, such as `head`, lets go of the pipe. The service writes its log by itself.
if (command.kind !== 'serve') process.stdout.on('error', () => stop.abort());
const isWatched = isatty(2);
const eraseLine = isWatched ? '\r\u001B[2K' : '';
const code = await runCommand(command, {
  signal: stop.signal,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${eraseLine}${line}\n`),
  bar: isWatched ? (text) => void process.stderr.write(`${eraseLine}${text}`) : undefined,
});
// kafkajs can leave timers behind that would keep the process.
process.exit(code);
