import { LruMap } from '../lib/lru-map.ts';
import type { Clock } from '../lib/clock.ts';

/** The certificate of a webhook's endpoint, which ends soon. */
export interface ExpiringCertificate {
  readonly webhookId: string;
  readonly ownerId: string | undefined;
  /** The end of the certificate, in epoch milliseconds. */
  readonly validUntil: number;
}

export interface CertificateEvents {
  certificateExpiring(certificate: ExpiringCertificate): void;
}

interface CertificateWatchOptions {
  readonly http: {
    /** Returns the end of the certificate that the origin showed last, in epoch milliseconds. */
    certificateEnd(origin: string): number | undefined;
  };
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly listeners: readonly CertificateEvents[];
}

const dayMs = 24 * 3_600_000;

/** The days before the end at which a certificate is told of. Most are renewed a month before. */
const stages = [21, 7, 1] as const;

/** The limit of webhooks that are remembered. One that is forgotten is told of again. Each takes about 0.2 KB. */
const maxWebhooks = 10_000;

/** A webhook that was told of. Its stage falls when the certificate is renewed. */
interface Told extends ExpiringCertificate {
  readonly stage: number;
  /** The monotonic time of the latest event. */
  readonly at: number;
}

/**
 * Tells of certificates of endpoints that are about to expire: once at each stage, and at most once a day for each webhook.
 * So an endpoint of several servers, of which some have a new certificate, is not told of at each request.
 */
export class CertificateWatch {
  readonly #options: CertificateWatchOptions;
  readonly #told = new LruMap<Told>(maxWebhooks);

  constructor(options: CertificateWatchOptions) {
    this.#options = options;
  }

  endOf(origin: string): number | undefined {
    return this.#options.http.certificateEnd(origin);
  }

  /** Returns the certificates that were told of and not renewed since, expired ones included. */
  expiring(): readonly ExpiringCertificate[] {
    return this.#told.values().filter(({ stage }) => stage > 0);
  }

  /** Looks at the certificate of a webhook's origin. Called after each request. */
  check({ webhookId, ownerId }: Omit<ExpiringCertificate, 'validUntil'>, origin: string): void {
    const { clock, listeners } = this.#options;
    const validUntil = this.endOf(origin);
    if (validUntil === undefined) return;
    const left = validUntil - clock.now();
    const stage = stageOf(left);
    const last = this.#told.get(webhookId);
    if (stage <= (last?.stage ?? 0)) {
      if (last !== undefined && stage < last.stage) this.#told.set(webhookId, { ...last, validUntil, stage });
      return;
    }
    const now = clock.monotonic();
    if (last !== undefined && now - last.at < dayMs) return;
    const certificate = { webhookId, ownerId, validUntil };
    this.#told.set(webhookId, { ...certificate, stage, at: now });
    for (const one of listeners) one.certificateExpiring(certificate);
  }
}

/** Returns how many stages have come with that time left. Called for each request, so it makes no garbage. */
function stageOf(leftMs: number): number {
  let stage = 0;
  for (const days of stages) if (leftMs <= days * dayMs) stage += 1;
  return stage;
}
