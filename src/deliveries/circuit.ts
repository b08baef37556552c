export type CircuitState = 'closed' | 'open' | 'half_open';
