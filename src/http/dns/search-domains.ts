/** The most domains that are tried for one name. Kubernetes has three, and those of the node. */
const maxDomains = 6;

/** Returns the search domains of `/etc/resolv.conf` (resolv.conf(5)), in their order. The last line of its kind counts. */
export function parseSearchDomains(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const [keyword, ...domains] = lines.findLast(([first]) => first === 'search' || first === 'domain') ?? [];
  const first = keyword === 'domain' ? domains.slice(0, 1) : domains;
  return first
    .map((domain) => domain.replace(/\.$/, '').toLowerCase())
    .filter((domain) => domain !== '')
    .slice(0, maxDomains);
}
