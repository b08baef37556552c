// Receives certificate webhooks. Needs Node 24 or later, and nothing else.
//
//   CREDENTIALS_FILE=credentials TLS_CERT_FILE=cert.pem TLS_KEY_FILE=key.pem node receiver.mjs
//
// Each line of the credentials file is a header that is let in, such as `Authorization: Bearer …`: one line, or two
// while the credential is being changed. It may be killed at any time: what it has not answered comes again.
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';

const { CREDENTIALS_FILE, TLS_CERT_FILE, TLS_KEY_FILE, DATABASE = 'certificates.db', PORT = '8443' } = process.env;

/** The largest body that is read. Most certificates have less than 1 KB. */
const maxBytes = 1024 * 1024;

const credentials = readFileSync(CREDENTIALS_FILE, 'utf8')
  .matchAll(/^([^:\s]+):[ \t]*(\S.*?)[ \t\r]*$/gm)
  .map(([, name, value]) => ({ name: name.toLowerCase(), digest: digest(value) }))
  .toArray();

const database = new DatabaseSync(DATABASE);
// With these two, what is inserted is on the disk and stays there when the power fails.
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
// A certificate that was completed and has expired since is one _id and two events.
database.exec(`CREATE TABLE IF NOT EXISTS certificates (
  id TEXT, event TEXT, body TEXT NOT NULL, received_at TEXT DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (id, event)
)`);
// A repeat changes nothing and is answered like the first. What follows is to start from the table.
const insert = database.prepare('INSERT INTO certificates (id, event, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');

const tls = { cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE), minVersion: 'TLSv1.2' };
const server = createServer({ ...tls, requestTimeout: 30_000 }, (request, response) => void answer(request, response));
server.listen(Number(PORT), () => process.stdout.write(`listening on ${server.address().port}\n`));
process.once('SIGTERM', () => server.close());

async function answer(request, response) {
  try {
    const status = refusal(request) ?? store(await buffer(request));
    response.writeHead(status).end();
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    // Anything but 2xx means: send it again.
    response.writeHead(500).end();
  }
}

/** Why not to read the body at all; undefined if there is no reason. */
function refusal({ method, headers }) {
  if (method !== 'POST') return 405;
  if (!isAuthentic(headers)) return 401;
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) return 400;
  const length = headers['content-length'];
  if (length === undefined) return 411;
  return Number(length) > maxBytes ? 413 : undefined;
}

/** Digests are equally long, and comparing them takes equally long wherever they differ. */
function isAuthentic(headers) {
  return credentials.some((known) => timingSafeEqual(known.digest, digest(headers[known.name] ?? '')));
}

function digest(text) {
  return createHash('sha256').update(text).digest();
}

/** The status to answer, once it is stored. */
function store(body) {
  const certificate = parse(body.toString('utf8'));
  const ids = [certificate?._id, certificate?._userId, certificate?._ownerId];
  if (!ids.every((id) => typeof id === 'string' && id !== '')) return 400;
  const event = Date.parse(certificate.expires) < Date.now() ? 'certificate_expired' : 'certificate_completed';
  insert.run(certificate._id, event, JSON.stringify(certificate));
  return 204;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
