/** Returns a line of the service's log in a short form: time, level, event, then its fields. Other text stays as it is. */
export function shortLine(line: string): string {
  const fields = parseFields(line);
  if (fields === undefined) return line;
  const { time, level, event, service: _service, version: _version, ...others } = fields;
  const details = Object.entries(others).map(([name, value]) => `${name}=${valueText(value)}`);
  return [timeOfDay(time), String(level).padEnd(5), event, ...details].join(' ');
}

/** Tells whether the line says that the service has started. */
export function isStart(line: string): boolean {
  return parseFields(line)?.['event'] === 'service.started';
}

type Fields = Readonly<Record<string, unknown>>;

function parseFields(line: string): Fields | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Fields;
  } catch {
    return undefined;
  }
}

/** `2026-03-14T09:26:53.589Z` becomes `09:26:53.589`. */
function timeOfDay(time: unknown): string {
  return String(time).slice(11, 23);
}

function valueText(value: unknown): string {
  return typeof value === 'string' && !value.includes(' ') ? value : JSON.stringify(value);
}
