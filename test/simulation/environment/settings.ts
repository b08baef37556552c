import type { Settings } from '../../../src/settings.ts';
import { defaultSettings } from '../../support/service/default-settings.ts';
import { topics, type ScenarioSettings } from '../scenario/scenario.ts';
import { idHeader } from './endpoints.ts';

/** Parses the settings of the service from environment variables, as a deployment would set them. */
export function settingsOf(scenario: ScenarioSettings): Settings {
  return defaultSettings({
    KAFKA_BROKERS: 'memory:9092',
    KAFKA_SESSION_TIMEOUT: '10s',
    CERTIFICATE_TOPICS: `${topics.completed}=certificate_completed,${topics.expired}=certificate_expired`,
    WEBHOOK_CONFIGURATIONS: `kafka:${topics.configurations}`,
    RETRY_TOPIC_PREFIX: topics.tierPrefix,
    RETRY_DELAYS: scenario.tiersMs.map((ms) => `${ms}ms`).join(','),
    DEAD_LETTER_TOPIC: topics.deadLetters,
    RESULTS_TOPIC: scenario.hasResults ? topics.results : '',
    RESULTS_INCLUDE: scenario.hasResults ? 'deliveries,records' : '',
    DELIVERY_TIMEOUT: '5s',
    DELIVERY_CONNECT_TIMEOUT: '1s',
    DELIVERY_MAX_AGE: `${scenario.maxAgeMs}ms`,
    DELIVERY_MAX_IN_FLIGHT: String(scenario.maxInFlight),
    DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: String(scenario.maxInFlightPerEndpoint),
    DELIVERY_MAX_WAITING_PER_ENDPOINT: String(scenario.maxWaitingPerEndpoint),
    DELIVERY_ID_HEADER: idHeader,
    INTAKE_MAX_RECORDS: String(scenario.maxRecords),
    INTAKE_MAX_SPAN: String(scenario.maxSpan),
    CIRCUIT_FAILURES: '3',
    CIRCUIT_COOLDOWN: '2s',
    SHUTDOWN_GRACE: '12s',
  });
}
