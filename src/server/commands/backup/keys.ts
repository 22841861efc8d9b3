import { readFileSync } from 'node:fs'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { ServiceError } from '#contract/core/errors.ts'
import type { Key, Lock } from '#lib/archive/encrypt.ts'
import type { Environment } from '../../config/reader.ts'

export type KeyOptions = { readonly keyFile: string | undefined; readonly publicKeys: readonly string[] }

const PUBLIC_KEY = /^age1[0-9a-z]{58}$/
const PRIVATE_KEY = /^AGE-SECRET-KEY-1[0-9A-Z]{58}$/m
const MIN_PASSPHRASE_CHARS = 12

/** Returns what closes a new backup: public keys, or a passphrase. */
export function readLock({ keyFile, publicKeys }: KeyOptions, env: Environment): Lock {
  const all = publicKeys.length > 0 ? publicKeys : listOf(env.SVC_BACKUP_PUBLIC_KEYS)
  const [wrong] = all.filter((key) => !PUBLIC_KEY.test(key))
  if (wrong !== undefined) throw usage(`${wrong} is no public key. svc-server backup key makes a pair.`)
  if (all.length > 0) return { publicKeys: all }
  const passphrase = passphraseOf(keyFile, env)
  if (passphrase === undefined) {
    throw usage(
      'A backup contains every secret, so it is always encrypted. Make a pair of keys with svc-server backup key and ' +
        'name the public one with --public-key, or set SVC_BACKUP_PASSPHRASE.',
    )
  }
  if (passphrase.length < MIN_PASSPHRASE_CHARS) throw usage(`The passphrase needs ${MIN_PASSPHRASE_CHARS} characters.`)
  return { passphrase }
}

/** Returns what opens a backup: a private key, or a passphrase. */
export function readKey({ keyFile }: KeyOptions, env: Environment): Key {
  const text = keyFile === undefined ? env.SVC_BACKUP_PRIVATE_KEY : readText(keyFile)
  const privateKey = text && PRIVATE_KEY.exec(text)?.[0]
  if (privateKey) return { privateKey }
  if (keyFile === undefined && text) {
    throw usage('SVC_BACKUP_PRIVATE_KEY is no private key: it begins with AGE-SECRET-KEY-1.')
  }
  const passphrase = passphraseOf(keyFile, env)
  if (passphrase !== undefined) return { passphrase }
  throw usage(
    'Name what opens the backup: the private key with --key-file <file> or in SVC_BACKUP_PRIVATE_KEY, or the passphrase ' +
      'with --key-file <file> or in SVC_BACKUP_PASSPHRASE.',
  )
}

function passphraseOf(keyFile: string | undefined, env: Environment): string | undefined {
  return keyFile === undefined ? env.SVC_BACKUP_PASSPHRASE : readText(keyFile).trim()
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`The file with the key cannot be read: ${String(error)}`)
  }
}

function listOf(text: string | undefined): string[] {
  return (text ?? '').split(/[\s,]+/).filter((key) => key !== '')
}

function usage(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', message)
}

/** Makes a pair of keys in the form of the program age-keygen. */
export async function makeKeyPair(now: Date): Promise<string> {
  const privateKey = await generateX25519Identity()
  const publicKey = await identityToRecipient(privateKey)
  return `# created: ${now.toISOString()}\n# public key: ${publicKey}\n${privateKey}`
}
