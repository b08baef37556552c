import { randomInt } from 'node:crypto';
import { quietClient } from '../support/kafka/client.ts';
import { certificateEvent } from './subscribers/certificates.ts';
import { owners } from './subscribers/owners.ts';
import { produceTo } from './scenario/production.ts';

// For a demo that was started with --keep. The demo prints the arguments BROKERS TOPIC OWNER.
const [brokers = '', topic = '', ownerId = ''] = process.argv.slice(2);
const owner = Object.values(owners).find(({ id }) => id === ownerId);
if (owner === undefined || brokers === '' || topic === '') {
  process.stderr.write('Usage: node test/demo/send-certificate.ts BROKERS TOPIC OWNER\n');
  process.exit(2);
}
const event = certificateEvent(owner, 'certificate_completed', randomInt(2 ** 31));
const [place] = await produceTo(quietClient(brokers.split(',')), topic, [event]);
process.stdout.write(`certificate ${event.id} is at ${place?.topic}/${place?.partition}/${place?.offset}\n`);
process.exit(0);
