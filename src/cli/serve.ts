import { setTimeout } from 'node:timers/promises';
import { StartUndecidedError } from '../kafka/topics/start-offsets.ts';
import { ClusterSetupError } from '../service/cluster.ts';
import { aborted } from '../lib/aborted.ts';
import { startService, type Service, type ServiceOptions } from '../service.ts';
import { AdminServerError } from '../telemetry/admin/admin-server.ts';
import { failureText } from '../telemetry/events/failure-text.ts';
import { createLogger } from '../telemetry/logger/logger.ts';
import { ConfigurationFilesError, KeysFileError } from '../webhooks/files/file-errors.ts';

interface ServeOptions extends Omit<ServiceOptions, 'logger'> {
  /** Remarks on valid settings, such as an unknown variable. */
  readonly warnings: readonly string[];
}

/** Time in ms that the end waits for whoever reads standard output. */
const longestFlushMs = 1000;

/**
 * Runs the service. Returns exit code 0 if it drained, 1 if it failed or did not drain in time, 2 if {@link needsFix}.
 */
export async function runServe({ warnings, ...options }: ServeOptions): Promise<0 | 1 | 2> {
  const { settings, version, signal } = options;
  const logger = createLogger({ level: settings.log.level, version });
  for (const warning of warnings) logger.warn({ event: 'settings.warning', warning });
  logger.info({ event: 'service.starting', node: process.version });
  try {
    const service = await startService({ ...options, logger });
    logger.info({ event: 'service.started', httpPort: service.httpPort });
    return await runUntilStopped(service, { ...options, logger });
  } catch (error) {
    if (signal.aborted) return 0;
    logger.fatal({ event: 'service.failed', failure: failureText(error) });
    return needsFix(error) ? 2 : 1;
  } finally {
    const written = new Promise<void>((resolve) => logger.flush(() => resolve()));
    await Promise.race([written, setTimeout(longestFlushMs, undefined, { ref: false })]);
  }
}

async function runUntilStopped(service: Service, { settings, logger, signal }: ServiceOptions): Promise<0 | 1> {
  const failure = await Promise.race([service.failed, aborted(signal)]);
  if (failure instanceof Error) logger.fatal({ event: 'service.failed', failure: failureText(failure) });
  logger.info({ event: 'service.stopping', graceMs: settings.shutdown.graceMs });
  const drained = await Promise.race([service.stop(), setTimeout(settings.shutdown.graceMs, false, { ref: false })]);
  logger.info({ event: 'service.stopped', drained });
  return drained && !(failure instanceof Error) ? 0 : 1;
}

/** Returns true for errors that a restart repeats until a person changes settings, files, keys or the cluster. */
function needsFix(error: unknown): boolean {
  const setupErrors = [
    ConfigurationFilesError,
    KeysFileError,
    StartUndecidedError,
    ClusterSetupError,
    AdminServerError,
  ];
  return setupErrors.some((setupError) => error instanceof setupError);
}
