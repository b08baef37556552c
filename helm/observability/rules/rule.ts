/** A result kept under a name, so that alerts and dashboards need not compute it each time. */
export interface Recording {
  /** `level:metric:operations`. */
  readonly record: string;
  readonly expression: string;
}

/** Something that a person has to do something about. */
export interface Alert {
  /** Without the prefix that all share. */
  readonly name: string;
  /** `page`: certificates are late or lost now, and the cause is ours. `ticket`: it can wait for the working day. */
  readonly severity: 'page' | 'ticket';
  /** How long the expression has to hold; at once when left out. */
  readonly for?: string;
  readonly expression: string;
  /** One line, for the head of a message. */
  readonly summary: string;
  /** What it means and the first thing to do. */
  readonly description: string;
}

export function alertName({ name }: Pick<Alert, 'name'>): string {
  return `CertificateWebhooks${name}`;
}

/** Whoever installs the rules puts an address in front of it. */
export function runbook(alert: Pick<Alert, 'name'>): string {
  return `docs/operations.md#${alertName(alert).toLowerCase()}`;
}
