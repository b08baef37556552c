import { createDashboard, dashboardUid } from './dashboard.ts';
import { deliveries } from './deliveries.ts';
import { endpoints } from './endpoints.ts';
import { kafka } from './kafka.ts';
import { overview } from './overview.ts';
import { process } from './process.ts';

export const dashboards = [overview, deliveries, kafka, process, endpoints] as const;

/** Returns the dashboards as JSON for Grafana's provisioning, by file name. */
export function dashboardFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    dashboards.map((definition) => [
      `${dashboardUid(definition)}.json`,
      `${JSON.stringify(createDashboard(definition), null, 2)}\n`,
    ]),
  );
}
