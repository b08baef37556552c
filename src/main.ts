#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

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
const command = parseCommand(process.argv.slice(2));
// A command runs beside the service, in the memory of its container. V8 collects the garbage of a topic that is read while
// its heap is small, and takes more time for that. The service has the memory, and needs the time.
if (command.kind !== 'serve') setFlagsFromString('--memory-saver-mode');
const { runCommand } = await import('./cli/run-command.ts');
const { openTerminal } = await import('./cli/terminal/terminal.ts');

const terminal = openTerminal(stop);
const code = await runCommand(command, terminal);
// kafkajs may leave timers that would keep the process alive.
process.exit(await terminal.close(code));
