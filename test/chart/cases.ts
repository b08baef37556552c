import type { Values } from '../support/helm/helm.ts';

const settings = { KAFKA_BROKERS: 'kafka-1:9092,kafka-2:9093' };

const single = {
  'only brokers': { settings },
  'a login from a secret': {
    settings: { ...settings, KAFKA_TLS: true, KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'webhooks' },
    existingSecret: 'kafka-login',
    existingSecretKeys: ['KAFKA_TLS_CA_FILE'],
  },
  'tokens for the login': {
    settings: {
      ...settings,
      KAFKA_TLS: true,
      KAFKA_SASL_MECHANISM: 'oauthbearer',
      KAFKA_OAUTH_TOKEN_URL: 'https://idp.example.com:8443/token',
      KAFKA_OAUTH_CLIENT_ID: 'webhooks',
      KAFKA_OAUTH_SCOPE: 'kafka read',
    },
    existingSecret: 'kafka-login',
    autoscaling: { enabled: true },
    networkPolicy: { enabled: true, tokenEndpoint: { to: [{ ipBlock: { cidr: '10.0.0.8/32' } }] } },
    strimzi: { enabled: true, cluster: 'kafka' },
  },
  'files from several sources': {
    settings: { ...settings, KAFKA_TLS: 'true' },
    settingsFrom: {
      KAFKA_TLS_CERT_FILE: { secret: 'kafka-client', key: 'user.crt' },
      KAFKA_TLS_KEY_FILE: { secret: 'kafka-client', key: 'user.key' },
      KAFKA_TLS_CA_FILE: { configMap: 'kafka-authority', key: 'ca.crt' },
    },
  },
  'folders of authorities': {
    settings: { ...settings, KAFKA_TLS: 'true' },
    settingsFrom: { KAFKA_TLS_CA_FILE: { secret: 'kafka-cluster-ca-cert' }, DELIVERY_CA_FILE: { configMap: 'roots' } },
  },
  'configurations from a secret': { settings, webhookConfigurations: { secret: 'webhook-configurations' } },
  'configurations from a config map': { settings, webhookConfigurations: { configMap: 'webhook-configurations' } },
  'scaled by lag': { settings, autoscaling: { enabled: true } },
  'scaled by CPU': { settings, autoscaling: { enabled: true, kind: 'hpa' } },
  'a network policy': {
    settings: {
      ...settings,
      DELIVERY_ALLOWED_PORTS: '443,8443,9000-9100',
      DELIVERY_ALLOWED_NETWORKS: '10.20.0.0/16,fd00:1::/32,64:ff9b::/96',
      DELIVERY_DENIED_NETWORKS: '10.20.30.0/24,2600:2d00:1::/48,199.36.153.8/30',
      HTTP_PORT: 9090,
    },
    networkPolicy: {
      enabled: true,
      ingress: { from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }] },
      kafka: { to: [{ podSelector: { matchLabels: { 'strimzi.io/cluster': 'kafka' } } }] },
    },
  },
  'a topics job': { settings, topicsJob: { enabled: true, ttlSecondsAfterFinished: 600 } },
  'tools with their own login': {
    settings: { ...settings, KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'webhooks' },
    existingSecret: 'kafka-login',
    admintools: { enabled: true, settings: { KAFKA_SASL_USERNAME: 'tools' }, existingSecret: 'tools-login' },
  },
  'topics by strimzi': {
    settings,
    strimzi: { enabled: true, cluster: 'kafka', namespace: 'kafka', user: { name: 'webhooks' } },
  },
  'a service for IPv6 alone': { settings, service: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] } },
  'monitored by service': {
    settings,
    serviceMonitor: {
      enabled: true,
      labels: { release: 'prometheus' },
      namespace: 'monitoring',
      scheme: 'https',
      tlsConfig: { insecureSkipVerify: true },
      scrapeClass: 'mesh',
      targetLabels: ['team'],
    },
    prometheusRule: { enabled: true, runbookUrl: 'https://runbooks.example.com/webhooks' },
    dashboards: { enabled: true, namespace: 'monitoring' },
  },
  'monitored by pod': {
    settings,
    podMonitor: { enabled: true },
    serviceMonitor: { relabelings: [{ action: 'labeldrop', regex: 'pod' }] },
  },
  'custom names and labels': {
    settings,
    fullnameOverride: 'certificates-out',
    commonLabels: { team: 'learning' },
    commonAnnotations: { 'example.com/owner': 'learning' },
    podLabels: { 'sidecar.example.com/inject': 'false' },
    podAnnotations: { 'example.com/scrape': 'no' },
    serviceAccount: { create: false, name: 'shared' },
    image: {
      repository: 'registry.example.com/webhooks',
      digest: `sha256:${'0'.repeat(64)}`,
      pullSecrets: ['registry'],
    },
  },
  'scheduling constraints': {
    settings,
    replicas: 3,
    schedulerName: 'batch',
    runtimeClassName: 'gvisor',
    hostUsers: false,
    progressDeadlineSeconds: 300,
    envFrom: [{ configMapRef: { name: 'proxy' } }],
    podDisruptionBudget: { maxUnavailable: '34%' },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'kafka', effect: 'NoSchedule' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }],
        },
      },
    },
    priorityClassName: 'high',
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['192.0.2.53'] },
    hostAliases: [{ ip: '192.0.2.1', hostnames: ['kafka-1'] }],
  },
  'all extra objects': {
    settings,
    extraEnv: [{ name: 'TZ', value: 'Europe/Vienna' }],
    extraVolumes: [{ name: 'more', emptyDir: { sizeLimit: '1Mi' } }],
    extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
    lifecycle: { preStop: { exec: { command: ['/bin/true'] } } },
    extraObjects: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-more' }, data: { a: 'b' } },
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-text\n',
    ],
  },
} as const satisfies Readonly<Record<string, Values>>;

const together = [
  single['a login from a secret'],
  single['scaled by lag'],
  single['a network policy'],
  single['topics by strimzi'],
  single['monitored by service'],
  single['scheduling constraints'],
  single['all extra objects'],
] as const;

const everything: Values & { readonly settings: Values } = Object.assign({}, ...together, {
  settings: Object.assign({}, ...together.map((values) => values.settings)),
});

/** Sets of values to render the chart with, by topic. */
export const cases = { ...single, 'all values together': everything } as const;
