import { createCipheriv, createDecipheriv, createSecretKey, hash, randomBytes } from 'node:crypto'
import { deriveKey } from './keys.ts'

/**
 * Encrypts stored secrets, which outlive a rotation of the signing secrets. `context` says what the value is and whose
 * (`database-password:ds_…`), so that a value copied to another row cannot be opened there.
 */
export type Sealer = {
  /** The id of the key that `seal` uses. */
  readonly currentKeyId: string
  seal(plain: string, context: string): string
  open(sealed: string, context: string): string
}

/** Thrown if a value was changed, was sealed with another context, or its key is not configured. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
}

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Creates a sealer that seals with the first key and opens with all of them. Each sealed value contains the id of its
 * key.
 */
export function createSealer(hexKeys: readonly [string, ...string[]]): Sealer {
  // Key objects, because Node takes several times as long with a key in a buffer.
  const keys = new Map(hexKeys.map((hex) => [keyId(hex), createSecretKey(deriveKey(Buffer.from(hex, 'hex'), 'seal'))]))
  const currentId = keyId(hexKeys[0])
  return {
    currentKeyId: currentId,
    seal(plain, context) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keys.get(currentId)!, iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1.${currentId}.${body.toString('base64url')}`
    },
    open(sealed, context) {
      const [version, id = '', text = ''] = sealed.split('.')
      const key = keys.get(id)
      if (version !== 'v1' || !key) throw new CannotOpen(`sealed under key ${id}, which is not configured`)
      try {
        const body = Buffer.from(text, 'base64url')
        // Without an explicit length Node accepts tags of 4 bytes, which can be guessed.
        const options = { authTagLength: TAG_BYTES }
        const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, IV_BYTES), options)
        decipher.setAAD(Buffer.from(context)).setAuthTag(body.subarray(-TAG_BYTES))
        return decipher.update(body.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch (cause) {
        throw new CannotOpen('changed, or sealed for something else', { cause })
      }
    },
  }
}

export function keyIdOf(sealed: string): string {
  return sealed.split('.')[1] ?? ''
}

/** Returns a public name of a key, from which the key cannot be derived. */
export function keyId(hex: string): string {
  return hash('sha256', `svc key id ${hex.toLowerCase()}`).slice(0, 8)
}
