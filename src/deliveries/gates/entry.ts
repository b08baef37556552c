import type { Webhook } from '../../webhooks/webhook.ts';
import type { Outcome } from '../outcome.ts';
import type { RequestHead } from '../request.ts';

/** The part of a gate that a permitted request needs. */
interface PermittedEndpoint {
  updateWebhook(webhook: Webhook, now: number): void;
  head(create: (webhook: Webhook) => RequestHead): RequestHead;
  readonly pacer: { write(now: number): number } | undefined;
}

/** Allows one request to the gate's endpoint. */
export interface Permit {
  readonly kind: 'permit';
  readonly gate: PermittedEndpoint;
  /** Gives the capacity back. Must be called once, with undefined when no request was sent. */
  release(outcome: Outcome | undefined): void;
  /** Counts a failure of the endpoint in place of its success. The delivery stays settled. Called after `release`. */
  withdraw(): void;
}

export type Entry = Permit | { readonly kind: 'refused'; readonly outcome: Outcome };
