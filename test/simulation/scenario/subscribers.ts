/** Few owners and webhooks, so that faults and changes often affect the same ones. */
export const owners = ['owner-1', 'owner-2', 'owner-3'] as const;

export const webhookIds = ['hook-1', 'hook-2', 'hook-3', 'hook-4'] as const;
