import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  ResourcePatternTypes,
  type AclEntry,
  type Kafka,
} from 'kafkajs';
import type { Environment } from '../../../src/settings.ts';
import type { Properties } from './cluster/broker-properties.ts';
import type { ClusterOptions, LocalCluster } from './cluster/local-cluster.ts';
import { saslListener } from './cluster/security.ts';
import { connectAdmin } from './client.ts';

/** The credentials of the service. All other clients are anonymous and may do everything. */
const serviceUser = { username: 'service', password: 'the-password-of-the-service' } as const;

/** Broker properties that enable access control lists. What has no list is open to everybody. */
const withAuthorizer: Properties = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': 'User:ANONYMOUS',
  'allow.everyone.if.no.acl.found': true,
};

/** The options of a cluster with access control lists, and a listener for the service. */
export const guardedCluster: Pick<ClusterOptions, 'listeners' | 'properties'> = {
  listeners: [saslListener('SASL', { users: { [serviceUser.username]: serviceUser.password } })],
  properties: withAuthorizer,
};

/** Returns the settings of a service that the lists apply to. */
export function guardedService(cluster: LocalCluster): Environment {
  return {
    KAFKA_BROKERS: cluster.addressesOf('SASL').join(','),
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: serviceUser.username,
    KAFKA_SASL_PASSWORD: serviceUser.password,
  };
}

export interface Denial {
  readonly resource: 'topic' | 'group';
  readonly name: string;
  readonly operation: 'read' | 'write';
}

/** Denies it to the service. What has a list is closed by default, so a second entry allows everything else. */
export async function deny(kafka: Kafka, denial: Denial): Promise<void> {
  await using admin = await connectAdmin(kafka);
  const { ALLOW, DENY } = AclPermissionTypes;
  const all = aclEntry(denial, AclOperationTypes.ALL, ALLOW);
  await admin.createAcls({ acl: [all, aclEntry(denial, operations[denial.operation], DENY)] });
}

export async function allow(kafka: Kafka, denial: Denial): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.deleteAcls({ filters: [aclEntry(denial, operations[denial.operation], AclPermissionTypes.DENY)] });
}

const operations: Readonly<Record<Denial['operation'], AclOperationTypes>> = {
  read: AclOperationTypes.READ,
  write: AclOperationTypes.WRITE,
};

function aclEntry(
  { resource, name }: Denial,
  operation: AclOperationTypes,
  permissionType: AclPermissionTypes,
): AclEntry {
  return {
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: `User:${serviceUser.username}`,
    host: '*',
    operation,
    permissionType,
  };
}
