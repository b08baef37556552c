#!/usr/bin/env node
import { isatty } from 'node:tty';

const stop = new AbortController();
let signals = 0;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    signals += 1;
    // A second signal ends the process without draining.
    if (signals > 1) process.exit(1);
    stop.abort();
  });
}

// Loaded after the signal handlers are set. Loading takes half a second. Process 1 of a container ignores signals that have
// no handler, so a signal during that time would be lost.
const { parseCommand } = await import('./cli/command.ts');
const { runCommand } = await import('./cli/run-command.ts');

const command = parseCommand(process.argv.slice(2));
// A reader such as `head` may close the pipe early, which ends the command. `serve` does not use this stream for its log.
if (command.kind !== 'serve') process.stdout.on('error', () => stop.abort());
const isTerminal = isatty(2);
const eraseLine = isTerminal ? '\r\u001B[2K' : '';
const code = await runCommand(command, {
  signal: stop.signal,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${eraseLine}${line}\n`),
  bar: isTerminal ? (text) => void process.stderr.write(`${eraseLine}${text}`) : undefined,
});
// kafkajs may leave timers that would keep the process alive.
process.exit(code);
