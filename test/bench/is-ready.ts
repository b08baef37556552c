/** Whether the service at that address says so; not while it does not listen yet. */
export async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
}
