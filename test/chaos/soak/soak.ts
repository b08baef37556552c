import { authority } from '../../deliveries/http/client-under-test.ts';
import { startEndpoints } from '../../deliveries/http/hostile/processes/start-endpoints.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { connectProducer } from '../../support/kafka/client.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { healthyId, SoakedService, type SoakRound } from './soaked-service.ts';

export interface SoakFigures {
  readonly alone: readonly SoakRound[];
  readonly beside: readonly SoakRound[];
}

const collectGarbage = new URL('collect-garbage.ts', import.meta.url).pathname;

/** The default settings, in place of those of the platform, which are for quick tests. */
const delays = ['10s', '1m', '10m', '1h', '6h', '24h'];
const defaults = {
  DELIVERY_TIMEOUT: '15s',
  DELIVERY_CONNECT_TIMEOUT: '5s',
  SHUTDOWN_GRACE: '25s',
  LOG_LEVEL: 'info',
} as const;

/**
 * Runs the service in a process of its own, with its default settings. Rounds without and with the hostile endpoints
 * alternate. They are subscribed again for each round, so the service does not know them when it begins.
 */
export async function runSoak(
  brokers: readonly string[],
  { roundMs, rounds }: { readonly roundMs: number; readonly rounds: number },
): Promise<SoakFigures> {
  await using healthy = await startEndpoints('healthy');
  await using hostile = await startEndpoints('hostile');
  await using files = await writeTemporaryFiles({ 'authority.pem': authority.certificate });
  await using platform = await startPlatform({ brokers, delays });
  const httpPort = await findFreePorts(1);
  await using service = new ServiceProcess({
    ...platform.environment,
    ...defaults,
    DELIVERY_CA_FILE: files.path('authority.pem'),
    HTTP_PORT: String(httpPort),
    NODE_OPTIONS: `--expose-gc --import=${collectGarbage}`,
  });
  await service.ready();
  await using producer = await connectProducer(platform.kafka);
  const soaked = new SoakedService({ platform, service, producer, httpPort });
  await soaked.subscribe(healthy.ports.map(({ port }) => ({ id: healthyId, port })));
  await soaked.round(roundMs / 6, []);
  const figures = { alone: [] as SoakRound[], beside: [] as SoakRound[] };
  for (let round = 1; round <= rounds; round += 1) {
    figures.alone.push(await soaked.round(roundMs, []));
    const subscribers = hostile.ports.map(({ name, port }) => ({ id: `${name} (${round})`, port }));
    await soaked.subscribe(subscribers);
    figures.beside.push(
      await soaked.round(
        roundMs,
        subscribers.map(({ id }) => id),
      ),
    );
    await soaked.unsubscribe(subscribers);
  }
  return figures;
}
