#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

// A command runs beside the service, in the memory of its container. So V8 keeps its heap small, and leaves out its optimizing
// compiler. That takes a third more processor time. The modules are loaded after it, because that makes garbage too.
const isCommand = !['serve', undefined].includes(process.argv[2]);
if (isCommand) setFlagsFromString('--memory-saver-mode --semi-space-growth-factor=1 --no-opt');

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
const { openTerminal } = await import('./cli/terminal/terminal.ts');

const terminal = openTerminal(stop);
const code = await runCommand(parseCommand(process.argv.slice(2)), terminal);
// kafkajs may leave timers that would keep the process alive.
process.exit(await terminal.close(code));
