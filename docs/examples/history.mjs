// Keeps the history of each webhook from the results topic. Prints when its endpoint begins to fail, when it works again, and
// which certificates have become dead letters. Needs Node 24 or later, and kafkajs.
//
//   npm install kafkajs
//   KAFKA_BROKERS=kafka-1:9092 RESULTS_TOPIC=certificate-webhooks.results node history.mjs
//   node history.mjs 665f1f77bcf86cd799439011          # prints the history of that webhook
//
// It may be killed at any time: it goes on from the last record that is in its database.
import { DatabaseSync } from 'node:sqlite';

const { DATABASE = 'history.db', KAFKA_BROKERS, RESULTS_TOPIC, GROUP_ID = 'webhook-history' } = process.env;
const [configurationId] = process.argv.slice(2);

const database = new DatabaseSync(DATABASE);
database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000');
// A record that is read or written twice is the same in all of these. A delivery that is made again has another time.
database.exec(`CREATE TABLE IF NOT EXISTS history (
  configuration_id TEXT, at TEXT, type TEXT, delivery_id TEXT, attempt INTEGER, certificate_id TEXT, outcome TEXT,
  status INTEGER, next TEXT, PRIMARY KEY (configuration_id, at, type, delivery_id, attempt)
)`);
database.exec('CREATE TABLE IF NOT EXISTS failing (configuration_id TEXT PRIMARY KEY, since TEXT NOT NULL)');
const insert = database.prepare('INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING');
const fail = database.prepare('INSERT INTO failing VALUES (?, ?) ON CONFLICT DO NOTHING');
const recover = database.prepare('DELETE FROM failing WHERE configuration_id = ? RETURNING since');

if (configurationId === undefined) await follow();
else printHistory(configurationId);

async function follow() {
  const { Kafka, logLevel } = await import('kafkajs');
  const kafka = new Kafka({ clientId: GROUP_ID, brokers: KAFKA_BROKERS.split(','), logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: GROUP_ID });
  await consumer.connect();
  await consumer.subscribe({ topic: RESULTS_TOPIC, fromBeginning: true });
  // The offset is committed after this returns, so after it is stored.
  await consumer.run({ eachMessage: async ({ message }) => take(JSON.parse(message.value.toString('utf8'))) });
  process.once('SIGTERM', () => void consumer.disconnect());
}

function take(result) {
  switch (result.type) {
    case 'endpoint.changed':
      // A circuit that closes is no sign: a new version of the configuration closes it, too.
      if (result.to === 'open') endpointFails(result);
      return;
    case 'delivery.attempted':
      keep(result);
      if (result.outcome === 'delivered') endpointWorks(result);
      return;
    case 'delivery.dead_lettered':
      if (keep(result)) certificateFailed(result);
      return;
    case 'delivery.deferred':
    case 'delivery.unsubscribed':
      keep(result);
  }
  // Later versions of the service may have other types. They mean nothing here.
}

/** Returns false for a record that is in the history already. */
function keep({ configurationId: id, at, type, deliveryId, attempt, certificateId, outcome, status, ...then }) {
  const next = then.dueAt ?? then.reason ?? then.settlement ?? null;
  const row = [id, at, type, deliveryId, attempt, certificateId, outcome ?? null, status ?? null, next];
  return insert.run(...row).changes === 1;
}

// Printing stands for a notice to the subscriber: an e-mail, or a line in its settings.
function endpointFails({ configurationId: id, since, at, failures }) {
  const begin = since ?? at;
  if (fail.run(id, begin).changes === 1) print(`${id}: your endpoint fails since ${begin}, ${failures} times in a row`);
}

function endpointWorks({ configurationId: id, at }) {
  const row = recover.get(id);
  if (row !== undefined)
    print(`${id}: your endpoint works again since ${at}; it had failed since ${String(row.since)}`);
}

// An endpoint with few certificates may fail for days before its circuit opens.
function certificateFailed({ configurationId: id, certificateId, reason }) {
  print(`${id}: certificate ${certificateId} is a dead letter (${reason})`);
}

function printHistory(id) {
  const rows = database.prepare('SELECT * FROM history WHERE configuration_id = ? ORDER BY at, attempt').all(id);
  for (const { at, type, certificate_id, attempt, outcome, status, next } of rows) {
    const words = [at, type, certificate_id, 'attempt', attempt, outcome, status, '→', next];
    print(words.filter((word) => word !== null).join(' '));
  }
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
