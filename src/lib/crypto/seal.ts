import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import { deriveKey } from './keys.ts'

/**
 * Encrypts stored secrets, which outlive a rotation of the signing secrets. `context` says what the value is and
 * whose (`database-password:ds_…`): a value copied to another row does not open there.
 */
export type Sealer = {
  /** The id of the key that `seal` uses. */
  readonly currentKeyId: string
  seal(plain: string, context: string): string
  open(sealed: string, context: string): string
}

export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** The first key seals; all of them open. Each sealed value carries the id of its key. */
export function createSealer(hexKeys: readonly [string, ...string[]]): Sealer {
  const keys = new Map(hexKeys.map((hex) => [keyId(hex), deriveKey(Buffer.from(hex, 'hex'), 'seal')]))
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
        // The length must be said: without it a tag of 4 bytes would do, and those can be guessed.
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

/** The id of the key that a value is sealed under. */
export function keyIdOf(sealed: string): string {
  return sealed.split('.')[1] ?? ''
}

/** Names a key without telling anything about it. */
export function keyId(hex: string): string {
  return hash('sha256', `svc key id ${hex.toLowerCase()}`).slice(0, 8)
}
