export const adminLimits = [
  'connections',
  'connections_per_address',
  'requests_per_connection',
  'head_bytes',
  'request_time',
] as const;
export type AdminLimit = (typeof adminLimits)[number];
