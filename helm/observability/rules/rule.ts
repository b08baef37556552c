/** A recording rule: a named result that alerts and dashboards use without computing it again. */
export interface Recording {
  /** Named `level:metric:operations`. */
  readonly record: string;
  readonly expression: string;
}

/** An alert that requires a person to act. */
export interface Alert {
  /** The name without the common prefix. */
  readonly name: string;
  /** `page`: certificates are late or lost now because of us. `ticket`: it can wait until working hours. */
  readonly severity: 'page' | 'ticket';
  /** The time that the expression must be true. By default the alert fires at once. */
  readonly for?: string;
  readonly expression: string;
  /** One line, for the subject of a message. */
  readonly summary: string;
  /** Says what the alert means and what to do first. */
  readonly description: string;
}

export function alertName({ name }: Pick<Alert, 'name'>): string {
  return `CertificateWebhooks${name}`;
}

/** Returns the runbook's path. The chart puts the URL of the project before it. */
export function runbook(alert: Pick<Alert, 'name'>): string {
  return `docs/operations.md#${alertName(alert).toLowerCase()}`;
}
