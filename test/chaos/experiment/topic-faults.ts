import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  ResourcePatternTypes,
  type AclEntry,
  type Kafka,
} from 'kafkajs';
import type { Properties } from '../../support/kafka/cluster/broker-properties.ts';
import { connectAdmin } from '../../support/kafka/client.ts';

/** The credentials of the service. All other clients are anonymous and may do everything. */
export const serviceUser = { username: 'service', password: 'aclEntry-for-the-service' } as const;

/** Broker properties that enable access control lists. Topics without a list are open to everybody. */
export const withAuthorizer: Properties = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': 'User:ANONYMOUS',
  'allow.everyone.if.no.acl.found': true,
};

/**
 * Denies writes to the service. A topic with a list is closed by default, so a second aclEntry allows everything else.
 */
export async function denyWrites(kafka: Kafka, topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  const { ALL, WRITE } = AclOperationTypes;
  const { ALLOW, DENY } = AclPermissionTypes;
  await admin.createAcls({ acl: [aclEntry(topic, ALL, ALLOW), aclEntry(topic, WRITE, DENY)] });
}

export async function allowWrites(kafka: Kafka, topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.deleteAcls({ filters: [aclEntry(topic, AclOperationTypes.WRITE, AclPermissionTypes.DENY)] });
}

export async function deleteTopic(kafka: Kafka, topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.deleteTopics({ topics: [topic] });
}

function aclEntry(topic: string, operation: AclOperationTypes, permissionType: AclPermissionTypes): AclEntry {
  return {
    resourceType: AclResourceTypes.TOPIC,
    resourceName: topic,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: `User:${serviceUser.username}`,
    host: '*',
    operation,
    permissionType,
  };
}
