import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';

/** The keys of one direction of a TLS 1.3 connection with AES-128-GCM and SHA-256 (RFC 8446, 5.2 and 7). */
export class RecordKeys {
  #secret: Buffer;
  #key: Buffer;
  #iv: Buffer;
  #sequence = 0n;

  constructor(secret: Buffer) {
    this.#secret = secret;
    this.#key = expand(secret, 'key', nothing, 16);
    this.#iv = expand(secret, 'iv', nothing, 12);
  }

  /** Takes the next key, as after a KeyUpdate message. */
  update(): void {
    this.#secret = expand(this.#secret, 'traffic upd', nothing);
    this.#key = expand(this.#secret, 'key', nothing, 16);
    this.#iv = expand(this.#secret, 'iv', nothing, 12);
    this.#sequence = 0n;
  }

  /** Returns a protected record of that type. */
  seal(type: number, data: Buffer): Buffer {
    const header = concatenate(uint8(23), uint16(0x03_03), uint16(data.length + 17));
    const cipher = createCipheriv('aes-128-gcm', this.#key, this.#nonce()).setAAD(header);
    return concatenate(header, cipher.update(data), cipher.update(uint8(type)), cipher.final(), cipher.getAuthTag());
  }

  /** Returns the type of a protected record. Throws if it is not authentic. */
  open(record: Buffer): number | undefined {
    const decipher = createDecipheriv('aes-128-gcm', this.#key, this.#nonce()).setAAD(record.subarray(0, 5));
    decipher.setAuthTag(record.subarray(-16));
    return concatenate(decipher.update(record.subarray(5, -16)), decipher.final()).at(-1);
  }

  #nonce(): Buffer {
    const counter = concatenate(Buffer.alloc(4), Buffer.from(this.#sequence.toString(16).padStart(16, '0'), 'hex'));
    this.#sequence += 1n;
    return Buffer.from(this.#iv.map((byte, index) => byte ^ (counter[index] ?? 0)));
  }
}

const nothing = Buffer.alloc(0);

/** `HKDF-Extract`, which is also the HMAC of a finished message. */
export function extract(salt: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', salt).update(key).digest();
}

/** `HKDF-Expand-Label` for at most 32 bytes. */
export function expand(secret: Buffer, label: string, context: Buffer, length = 32): Buffer {
  const info = concatenate(uint16(length), vector(1, Buffer.from(`tls13 ${label}`)), vector(1, context), uint8(1));
  return extract(secret, info).subarray(0, length);
}

export function hash(...parts: readonly Buffer[]): Buffer {
  return createHash('sha256')
    .update(concatenate(...parts))
    .digest();
}

export function handshakeMessage(type: number, body: Buffer): Buffer {
  return concatenate(uint8(type), vector(3, body));
}

export function uint8(value: number): Buffer {
  return Buffer.of(value);
}

export function uint16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff);
}

/** Returns bytes with their length in front of them. */
export function vector(lengthBytes: number, content: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(content.length, 0, lengthBytes);
  return concatenate(length, content);
}

export function concatenate(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts);
}
