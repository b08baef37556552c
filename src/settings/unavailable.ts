import type { Problem } from './problem.ts';
import type { Settings } from './sections.ts';

interface Unavailable {
  readonly variable: string;
  /** Whether the settings ask for it. */
  readonly isAsked: (settings: Settings) => boolean;
  readonly instead: string;
}

/**
 * What the settings know and this version can't do yet. It is refused rather than left without effect: somebody who
 * sets a proxy must not find requests going past it.
 */
export const unavailable: readonly Unavailable[] = [
  {
    variable: 'SCHEMA_REGISTRY_URL',
    isAsked: ({ schemaRegistry }) => schemaRegistry !== undefined,
    instead: 'not to be set: this version reads JSON only',
  },
  {
    variable: 'WEBHOOK_KEYS_FILE',
    isAsked: ({ webhooks }) => webhooks.keysFile !== undefined,
    instead: 'not to be set: this version does not open sealed configurations',
  },
  {
    variable: 'DELIVERY_PROXY_URL',
    isAsked: ({ egress }) => egress.proxyUrl !== undefined,
    instead: 'not to be set: this version connects to endpoints directly',
  },
  {
    variable: 'HANDOFF_COMPRESSION',
    isAsked: ({ handoff }) => handoff.compression !== 'none' && handoff.compression !== 'gzip',
    instead: '`none` or `gzip`: this version can write no other',
  },
];

/** Those that the settings ask for, as problems. What was given is not repeated: a secret is among them. */
export function unavailableProblems(settings: Settings): readonly Problem[] {
  return unavailable
    .filter(({ isAsked }) => isAsked(settings))
    .map(({ variable, instead }) => ({ variable, given: 'set', expected: instead }));
}
