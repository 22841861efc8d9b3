import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** The verifier that a server stores instead of a password (RFC 5802 section 3, RFC 7677). */
type ScramVerifier = { iterations: number; salt: Buffer; storedKey: Buffer; serverKey: Buffer }

const ITERATIONS = 4096
const derive = promisify(pbkdf2)

/** Computes a verifier in the format of `pg_authid`, so that statements which set a password contain none. */
export async function scramVerifier(password: string, salt = randomBytes(16)): Promise<string> {
  const salted = await derive(password, salt, ITERATIONS, 32, 'sha256')
  const storedKey = sha256(hmac(salted, 'Client Key'))
  const serverKey = hmac(salted, 'Server Key')
  const base64 = (bytes: Buffer) => bytes.toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${base64(salt)}$${base64(storedKey)}:${base64(serverKey)}`
}

export function readVerifier(text: string): ScramVerifier {
  const match = /^SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):(.+)$/.exec(text)
  if (!match) throw new Error('not a SCRAM verifier')
  const bytes = (part: string) => Buffer.from(part, 'base64')
  return {
    iterations: Number(match[1]),
    salt: bytes(match[2]!),
    storedKey: bytes(match[3]!),
    serverKey: bytes(match[4]!),
  }
}

/** Returns the server's signature, or undefined when the client's proof is wrong. */
export function checkProof(verifier: ScramVerifier, authMessage: string, proof: Buffer): Buffer | undefined {
  if (proof.length !== verifier.storedKey.length) return undefined
  const signature = hmac(verifier.storedKey, authMessage)
  const clientKey = Buffer.from(proof.map((byte, i) => byte ^ signature[i]!))
  return timingSafeEqual(sha256(clientKey), verifier.storedKey) ? hmac(verifier.serverKey, authMessage) : undefined
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
