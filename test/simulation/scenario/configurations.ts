import { eventTypes } from '../../../src/certificates/certificate.ts';
import type { WebhookLimits } from '../../../src/webhooks/webhook.ts';
import type { Random } from '../random.ts';
import { owners, webhookIds } from './subscribers.ts';
import type { Action, Configuration } from './scenario.ts';

/**
 * Generates the configurations of all webhooks. Most are written at the start; some are later changed, removed or moved
 * to another owner.
 */
export function generateConfigurations(random: Random, faultsEndAtMs: number): readonly Action[] {
  return webhookIds.flatMap((webhookId, index) => {
    const ownerId = owners[index % owners.length] ?? owners[0];
    const firstAtMs = random.chance(0.7) ? 0 : random.between(0, faultsEndAtMs / 2);
    const changes = random.weighted([
      [0, 3],
      [1, 2],
      [random.between(2, 5), 2],
    ]);
    const versions: Configuration[] = [{ ...plain, version: 1, ownerId }];
    for (let version = 2; version < changes + 2; version += 1) {
      versions.push(change(random, versions.at(-1) ?? { ...plain, version, ownerId }, version));
    }
    return versions.map((configuration, at): Action => {
      const atMs = at === 0 ? firstAtMs : random.between(firstAtMs, faultsEndAtMs);
      const isRemoval = at > 0 && random.chance(0.1);
      return { kind: 'configuration', atMs, webhookId, configuration: isRemoval ? undefined : configuration };
    });
  });
}

/** Gives half of the versions limits, as low as the few certificates of a run need. */
export function limitSome(actions: readonly Action[], random: Random, mostInFlight: number): Action[] {
  const limits = (): WebhookLimits | undefined => {
    const [inFlight, perMinute] = [random.between(1, Math.min(2, mostInFlight)), random.between(2, 20)];
    return random.weighted<WebhookLimits | undefined>([
      [undefined, 4],
      [{ inFlight }, 2],
      [{ perMinute }, 1],
      [{ inFlight, perMinute }, 1],
    ]);
  };
  return actions.map((action) =>
    action.kind === 'configuration' && action.configuration !== undefined
      ? { ...action, configuration: { ...action.configuration, limits: limits() } }
      : action,
  );
}

/**
 * Frames half of the versions of the webhooks that never change their owner. While its schema is missing, a version keeps the
 * last owner known under its id, so that certificates of a new one could be unclaimed.
 */
export function frameSome(actions: readonly Action[], random: Random): readonly Action[] {
  const ownersOf = Map.groupBy(
    actions.filter((action) => action.kind === 'configuration'),
    ({ webhookId }) => webhookId,
  );
  const hasOneOwner = (webhookId: string): boolean =>
    new Set(ownersOf.get(webhookId)?.flatMap(({ configuration }) => configuration?.ownerId ?? [])).size === 1;
  return actions.map((action) =>
    action.kind === 'configuration' && action.configuration !== undefined && hasOneOwner(action.webhookId)
      ? { ...action, configuration: { ...action.configuration, isFramed: random.chance(0.5) } }
      : action,
  );
}

const plain = { enabled: true, paused: false, events: eventTypes, isValid: true };

function change(random: Random, before: Configuration, version: number): Configuration {
  const { ownerId } = before;
  const same = { ...plain, version, ownerId };
  return random.weighted<Configuration>([
    [same, 4],
    [{ ...same, paused: true }, 2],
    [{ ...same, enabled: false }, 1],
    [{ ...same, isValid: false }, 2],
    [{ ...same, events: [random.pick(eventTypes)] }, 1],
    [{ ...same, ownerId: random.pick(owners) }, 2],
  ]);
}
