import packageJson from '../../package.json' with { type: 'json' };

/** Of this service. */
export const { version } = packageJson;
