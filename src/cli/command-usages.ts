interface OptionUsage {
  /** The name of its value. Undefined for an option without a value. */
  readonly value?: string;
  readonly isRequired?: true;
  readonly does: string;
}

/** One command, or one verb of a command: what it does, and everything that it can be given. */
export interface CommandUsage {
  readonly does: string;
  /** The names that it takes besides its options. `...` is one or more; brackets make it optional. */
  readonly operands: 'none' | 'FILE...' | '[FILE...]' | 'ID...' | '[ID...]' | '[ID]' | 'ID|FILE' | 'bash|zsh|fish';
  readonly options: Readonly<Record<string, OptionUsage>>;
  /** Whole sentences below the options, each on its own line. */
  readonly notes?: readonly string[];
}

function usage(does: string, takes: Partial<CommandUsage> = {}): CommandUsage {
  return { does, operands: 'none', options: {}, ...takes };
}

const json: OptionUsage = { does: 'prints one JSON object a line' };
const dryRun: OptionUsage = { does: 'writes nothing, and prints what it would do' };
const as: OptionUsage = {
  value: 'NAME',
  does: 'who makes the change, for --history; otherwise the login at the brokers',
};
const filters: CommandUsage['options'] = {
  configuration: { value: 'ID', does: 'only those of this webhook configuration' },
  owner: { value: 'ID', does: 'only those of this owner' },
  certificate: { value: 'ID', does: 'only those of this certificate' },
  reason: { value: 'REASON', does: 'only those with this dead-letter-reason' },
  since: { value: 'TIME', does: 'only those that failed at this time or later: ISO 8601, or a duration ago' },
  until: { value: 'TIME', does: 'only those that failed before this time' },
  limit: { value: 'N', does: 'only the newest N' },
};

/** The page that says more about each command, by its first word. */
const pages: Readonly<Record<string, string>> = {
  serve: 'docs/operations.md#install',
  'check-config': 'docs/operations.md#change-settings',
  topics: 'docs/operations.md#first-deployment',
  configurations: 'docs/producers.md#without-code',
  'dead-letters': 'docs/operations.md#dead-letters',
  endpoints: 'docs/operations.md#what-to-watch',
  explain: 'docs/operations.md#one-certificate',
  retries: 'docs/operations.md#one-certificate',
  redeliver: 'docs/operations.md#deliver-again',
  try: 'docs/operations.md#try-a-webhook',
  completion: 'docs/operations.md#completion',
};

/** All commands. The arguments are parsed, and the help is printed, from this table alone. */
export const commandUsages = {
  serve: usage('runs the service until SIGTERM or SIGINT (the default)'),
  'check-config': usage(
    'checks the environment, and webhook configuration files: those of WEBHOOK_CONFIGURATIONS, or the given ones',
    { operands: '[FILE...]' },
  ),
  topics: usage("compares the cluster's topics with those that are needed", {
    options: { create: { does: 'makes the missing topics, and leaves the others unchanged' } },
  }),
  'configurations list': usage('prints what the configurations topic holds, without credentials', {
    operands: '[ID...]',
    options: {
      owner: { value: 'ID', does: 'only those of this owner' },
      history: { does: 'prints all versions that the topic still has: who changed what, and when' },
      json,
    },
  }),
  'configurations put': usage(
    'writes configurations to the topic: all, or none when one has a problem; - reads standard input',
    {
      operands: 'FILE...',
      options: {
        seal: { does: 'seals the credentials that are not sealed yet' },
        refused: {
          does: 'writes those that the service refuses too: they keep the certificates of their owner waiting',
        },
        as,
      },
    },
  ),
  'configurations remove': usage('removes configurations from the topic: all, or none when one is missing', {
    operands: 'ID...',
    options: {
      purge: { does: 'also takes their dead letters out of lists and replays, even if they are removed already' },
      'dry-run': dryRun,
      as,
    },
  }),
  'configurations pause': usage('pauses configurations: all, or none when one is missing or can not be read', {
    operands: 'ID...',
    options: { as },
  }),
  'configurations resume': usage('resumes configurations: all, or none when one is missing or can not be read', {
    operands: 'ID...',
    options: { as },
  }),
  'configurations export': usage('prints all configurations and their unsealed credentials, one JSON object a line'),
  'configurations accept': usage('confirms what the topic holds, after it was deleted and created again', {
    options: { as },
  }),
  'configurations check': usage('validates configuration files; touches no Kafka', { operands: 'FILE...' }),
  'configurations seal': usage('prints a configuration file with its credentials sealed; touches no Kafka', {
    operands: 'FILE...',
    options: {
      write: { does: 'replaces the files instead of printing one' },
      renew: { does: 'seals parts again that are sealed already, with the first key' },
    },
  }),
  'dead-letters list': usage('prints what could not be delivered, the newest last', { options: { ...filters, json } }),
  'dead-letters replay': usage(
    'puts dead letters into the first retry topic, except for those that were replayed before',
    { options: { ...filters, again: { does: 'replays those that were replayed before, too' }, 'dry-run': dryRun } },
  ),
  'retries list': usage('prints what waits in the retry topics now, what is due last at the end', {
    options: {
      ...filters,
      reason: { value: 'REASON', does: 'only those with this failure-reason, such as http_error or paused' },
      since: { value: 'TIME', does: 'only those that are due at this time or later: ISO 8601, or a duration ago' },
      until: { value: 'TIME', does: 'only those that are due before this time' },
      limit: { value: 'N', does: 'only the N that are due last' },
      tier: { value: 'DELAY', does: 'only those in the retry topic with this delay, such as 10m' },
      json,
    },
  }),
  explain: usage('tells what became of a certificate, for each webhook, from what Kafka holds', {
    options: {
      certificate: { value: 'ID', isRequired: true, does: 'the _id of the certificate' },
      owner: { value: 'ID', does: 'only its records of this owner' },
      since: {
        value: 'TIME',
        does: 'reads from this time on: ISO 8601, or a duration ago; otherwise all that is kept',
      },
      json,
    },
    notes: ['Ends with 3 if no record of the certificate is found.'],
  }),
  endpoints: usage('asks all instances which endpoints fail, or for that of one webhook configuration', {
    operands: '[ID]',
    options: { json },
  }),
  redeliver: usage('puts certificates of a time into the first retry topic, for one subscriber', {
    options: {
      configuration: { value: 'ID', isRequired: true, does: 'the webhook configuration to deliver to' },
      since: { value: 'TIME', isRequired: true, does: 'the earliest record timestamp: ISO 8601, or a duration ago' },
      until: { value: 'TIME', does: 'the time that every record timestamp has to be before' },
      from: { value: 'TOPIC/PARTITION/OFFSET', does: 'where an earlier run stopped, as it printed it' },
      'dry-run': dryRun,
    },
  }),
  try: usage(
    'sends a test certificate to one webhook, and shows each phase, the answer and what the service would do then',
    {
      operands: 'ID|FILE',
      options: {
        event: {
          value: 'EVENT',
          does: 'certificate_completed or certificate_expired; otherwise the first that it wants',
        },
        conformance: { does: 'sends about 45 requests, right and wrong ones, and says what the receiver does wrong' },
      },
      notes: [
        'ID is read from WEBHOOK_CONFIGURATIONS. FILE holds one configuration, as JSON or YAML; - reads standard input.',
        'An argument with a slash, or that ends in .json, .jsonl, .yaml or .yml, is a FILE.',
        'The subscriber receives the certificate like any other. Its ids begin with 7e577e577e57.',
        'With --conformance it receives certificates, repeats, wrong credentials, broken bodies and one of 900 KB. A receiver in',
        'production may count the wrong credentials as an attack, so ask its owner first. docs/subscribers.md lists the requests.',
      ],
    },
  ),
  completion: usage('prints the completion of a shell, for its start-up file', { operands: 'bash|zsh|fish' }),
};

/** The shells that {@link completionScript} knows. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export type CommandName = keyof typeof commandUsages;

/** The first words of all commands, each once. */
export const firstWords: readonly string[] = [
  ...new Set(Object.keys(commandUsages).map((name) => name.split(' ', 1).join(''))),
];

/** Returns the commands with that first word, or all of them for an empty one. */
export function usagesOf(word: string): readonly (readonly [name: string, usage: CommandUsage])[] {
  return Object.entries(commandUsages).filter(([name]) => word === '' || name === word || name.startsWith(`${word} `));
}

/** Formats the help of a command, of all verbs of one, or of the whole program for an empty name. */
export function helpText(name: string): string {
  const [first, ...others] = usagesOf(name);
  const lines = first !== undefined && others.length === 0 ? helpOf(...first) : overview(name);
  const page = pages[name.split(' ', 1).join('')] ?? 'docs/operations.md';
  return [...lines, '', `More: ${page}. Settings are environment variables: docs/configuration.md.`].join('\n');
}

function helpOf(name: string, { does, operands, options, notes = [] }: CommandUsage): readonly string[] {
  const texts = Object.entries(options).map(([option, { value, isRequired, does: effect }]) => {
    const text = value === undefined ? `--${option}` : `--${option} ${value}`;
    return { text, word: isRequired === true ? text : `[${text}]`, effect };
  });
  const words = [name, ...texts.map(({ word }) => word), ...(operands === 'none' ? [] : [operands])];
  const rows = table(texts.map(({ text, effect }) => [text, effect]));
  return [
    `Usage: certificate-webhooks ${words.join(' ')}`,
    '',
    `${does.charAt(0).toUpperCase()}${does.slice(1)}.`,
    ...(rows.length === 0 ? [] : ['', ...rows]),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ];
}

function overview(name: string): readonly string[] {
  const words = name === '' ? '[COMMAND]' : `${name} VERB`;
  const rows = table(usagesOf(name).map(([one, { does }]) => [one, does]));
  return [`Usage: certificate-webhooks ${words}`, '', ...rows, '', 'Each has --help. --version prints the version.'];
}

function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, does]) => `  ${name.padEnd(width)}  ${does}`);
}
