import { readdir, readFile } from 'node:fs/promises';

/** Returns a line for each thread of a process: its name, its state, and the system call and kernel function it waits in. */
export async function describeThreads(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  return Promise.all(
    threads.map(async (thread) => {
      const read = (name: string): Promise<string> => readFile(`${folder}/${thread}/${name}`, 'utf8').catch(() => '?');
      const [name, stat, wait, call] = await Promise.all(['comm', 'stat', 'wchan', 'syscall'].map(read));
      const [state = '?', ...numbers] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
      return `${name?.trim()}: ${state}, ${numbers[10]} ticks of CPU, ${wait}, system call ${call?.split(' ')[0]?.trim()}`;
    }),
  );
}
