/** Resolves to whether that URL is answered with a 2xx. It is not while the port is not open yet. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    // An open connection would count as a leak.
    const headers = { connection: 'close' };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
