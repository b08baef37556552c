/** The newest version of each minor that the service supports. All brokers speak KRaft. */
export const kafkaVersions = ['3.7.2', '3.8.1', '3.9.2', '4.0.2', '4.1.2', '4.2.2', '4.3.1', '4.4.0'] as const;
