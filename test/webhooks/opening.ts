import { WebhookDirectory, type DirectoryEvents } from '../../src/webhooks/directory.ts';
import { openBytes } from '../../src/webhooks/sealing/open-document.ts';
import { withoutRegistry } from '../../src/certificates/framing.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { sealingKeyOf, type KeySet } from '../../src/webhooks/sealing/key-set.ts';
import { VersionReader } from '../../src/webhooks/version-reader.ts';
import { sealDocument } from '../../src/webhooks/sealing/seal-document.ts';
import { aConfiguration, json, type Document } from '../support/builders.ts';
import { keySet, secretJwk } from '../support/keys.ts';

export const right = keySet(secretJwk('right'));
export const wrong = keySet(secretJwk('wrong'));

/** Builds a configuration in clear, whose token is its version. */
export function plain(id: string, version: number): Document {
  return aConfiguration({ _id: id, _ownerId: 'owner', auth: { authType: 'bearer_token', token: String(version) } });
}

/** A framed value, which can't be read without a registry. */
export const unreadable = Buffer.from([0, 0, 0, 0, 1, 2]);

export async function sealed(id: string, version: number, keys: KeySet = right): Promise<Buffer> {
  return json(await sealWith(keys, plain(id, version)));
}

/** Seals the credentials of a document with the first key that can. */
export async function sealWith(keys: KeySet, document: Document): Promise<Document> {
  const key = sealingKeyOf(keys);
  if (key === undefined) throw new Error('No key of these seals.');
  return { ...document, ...(await sealDocument(document, key)) };
}

/** Returns, for each id, the token that the directory holds, or the state of an unusable webhook. */
export function heldBy(directory: WebhookDirectory, ids: readonly string[]): readonly (string | undefined)[] {
  return ids.map((id) => {
    const webhook = directory.byId(id);
    if (webhook?.state !== 'active') return webhook?.state;
    const { authentication } = webhook.endpoint();
    return authentication.authType === 'bearer_token' ? authentication.token : authentication.authType;
  });
}

/** Creates a directory, and notes what it refuses. */
export function createDirectory(isAllowedPort: (port: number) => boolean = () => true) {
  const refusals: string[] = [];
  const configurationRefused: DirectoryEvents['configurationRefused'] = ({ id, ownerId, problems }) =>
    void refusals.push(`${id} of ${ownerId}: ${problems.join(', ')}`);
  const directory = new WebhookDirectory({ isAllowedPort, mostInFlight: 16 }, { configurationRefused });
  return { directory, refusals };
}

export function createOpening(keys: KeySet, requireSealed = false) {
  const { directory, refusals } = createDirectory();
  const opening = new VersionReader({
    directory,
    framed: withoutRegistry,
    sealing: { open: openBytes, requireSealed },
    clock: systemClock,
  });
  opening.useKeys(keys);
  return {
    directory,
    opening,
    refusals,
    held: (...ids: readonly string[]) => heldBy(directory, ids),
    [Symbol.asyncDispose]: () => opening[Symbol.asyncDispose](),
  };
}
