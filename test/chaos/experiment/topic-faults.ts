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

/** Who the service is where brokers ask; everybody else is nobody, who may do everything. */
export const serviceUser = { username: 'service', password: 'entry-for-the-service' } as const;

/** Brokers that know access control lists, and let everybody do what no list speaks of. */
export const withAuthorizer: Properties = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': 'User:ANONYMOUS',
  'allow.everyone.if.no.acl.found': true,
};

/** The service may still read the topic. A topic with a list is closed to whoever is not on it, hence the second entry. */
export async function denyWrites(kafka: Kafka, topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  const { ALL, WRITE } = AclOperationTypes;
  const { ALLOW, DENY } = AclPermissionTypes;
  await admin.createAcls({ acl: [entry(topic, ALL, ALLOW), entry(topic, WRITE, DENY)] });
}

export async function allowWrites(kafka: Kafka, topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.deleteAcls({ filters: [entry(topic, AclOperationTypes.WRITE, AclPermissionTypes.DENY)] });
}

export async function deleteTopic(kafka: Kafka, topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.deleteTopics({ topics: [topic] });
}

function entry(topic: string, operation: AclOperationTypes, permissionType: AclPermissionTypes): AclEntry {
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
