import type { IConfigMap } from 'kubernetes-models/v1';

type Metadata = NonNullable<IConfigMap['metadata']>;

/** A topic of `kafka.strimzi.io/v1`, as in the resource definitions of Strimzi 1.2.0. Its status is left out. */
export interface KafkaTopic {
  readonly apiVersion: 'kafka.strimzi.io/v1';
  readonly kind: 'KafkaTopic';
  readonly metadata: Metadata;
  readonly spec: {
    readonly topicName?: string;
    readonly partitions?: number;
    readonly replicas?: number;
    readonly config?: Readonly<Record<string, string | number | boolean>>;
  };
}

export interface KafkaUser {
  readonly apiVersion: 'kafka.strimzi.io/v1';
  readonly kind: 'KafkaUser';
  readonly metadata: Metadata;
  readonly spec: {
    readonly authentication?: { readonly type: 'tls' | 'tls-external' | 'scram-sha-512' };
    readonly authorization?: { readonly type: 'simple'; readonly acls: readonly KafkaAcl[] };
  };
}

interface KafkaAcl {
  readonly type?: 'allow' | 'deny';
  readonly host?: string;
  readonly operations?: readonly KafkaOperation[];
  readonly resource: {
    readonly type: 'topic' | 'group' | 'cluster' | 'transactionalId';
    readonly name?: string;
    readonly patternType?: 'literal' | 'prefix';
  };
}

type KafkaOperation =
  | 'Read'
  | 'Write'
  | 'Create'
  | 'Delete'
  | 'Alter'
  | 'Describe'
  | 'ClusterAction'
  | 'AlterConfigs'
  | 'DescribeConfigs'
  | 'IdempotentWrite'
  | 'All';
