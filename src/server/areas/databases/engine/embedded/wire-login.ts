import { randomBytes } from 'node:crypto'
import { checkProof, readVerifier, scramVerifier } from '../scram.ts'
import type { ByteReader } from './byte-reader.ts'
import { cStrings, int32, message } from './wire-messages.ts'

export type Startup = { user: string; database: string; settings: Record<string, string> }

const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
const PASSWORD_BYTES = 4096
/** Version 3.0, the newest we speak. */
const PROTOCOL = 3 << 16

/**
 * Returns undefined for anything but a login: a cancel request, another protocol, a client that closed the connection.
 */
export async function readStartup(reader: ByteReader, write: (bytes: Buffer) => void): Promise<Startup | undefined> {
  for (;;) {
    const packet = await reader.startup()
    if (!packet) return undefined
    const code = packet.readInt32BE(0)
    if (code === SSL_REQUEST || code === GSS_REQUEST) {
      write(Buffer.from('N'))
      continue
    }
    if (code >> 16 !== 3) return undefined
    // A newer minor version, or an option we do not know, is answered with what we speak.
    const startup = toStartup(packet.subarray(4))
    const options = Object.keys(startup.settings).filter((name) => name.startsWith('_pq_.'))
    if ((code & 0xffff) > 0 || options.length > 0) {
      write(message('v', int32(PROTOCOL), int32(options.length), ...options))
    }
    return startup
  }
}

function toStartup(body: Buffer): Startup {
  const words = cStrings(body)
  const pairs: Record<string, string> = {}
  for (let i = 0; i + 1 < words.length && words[i] !== ''; i += 2) pairs[words[i]!] = words[i + 1]!
  const { user = '', database = user, options = '', ...settings } = pairs
  for (const [, name, value] of options.matchAll(/-c\s*([\w.]+)=((?:\\.|[^\s\\])*)/g)) {
    settings[name!] = value!.replace(/\\(.)/g, '$1')
  }
  return { user, database, settings }
}

/**
 * Checks a password by RFC 5802 over the messages of Postgres. Without a verifier it takes the same steps and refuses.
 */
export async function passesScram(
  reader: ByteReader,
  write: (bytes: Buffer) => void,
  verifier: string | undefined,
): Promise<boolean> {
  const stored = readVerifier(verifier ?? (await scramVerifier(randomBytes(24).toString('hex'))))
  write(message('R', int32(10), 'SCRAM-SHA-256', Buffer.from([0])))
  const initial = await reader.message(PASSWORD_BYTES)
  const first = initial?.type === 'p' ? readFirst(initial.body) : undefined
  if (!first) return false
  const nonce = `${first.nonce}${randomBytes(18).toString('base64')}`
  const serverFirst = `r=${nonce},s=${stored.salt.toString('base64')},i=${stored.iterations}`
  write(message('R', int32(11), Buffer.from(serverFirst)))
  const final = await reader.message(PASSWORD_BYTES)
  const [, withoutProof, proof] = /^(.*),p=([^,]+)$/.exec(final?.type === 'p' ? final.body.toString() : '') ?? []
  if (withoutProof !== `c=${Buffer.from(first.header).toString('base64')},r=${nonce}`) return false
  const signature = checkProof(stored, `${first.bare},${serverFirst},${withoutProof}`, Buffer.from(proof!, 'base64'))
  if (!signature || verifier === undefined) return false
  write(message('R', int32(12), Buffer.from(`v=${signature.toString('base64')}`)))
  return true
}

function readFirst(body: Buffer): { header: string; bare: string; nonce: string } | undefined {
  const mechanism = 'SCRAM-SHA-256\0'
  if (!body.toString('latin1').startsWith(mechanism)) return undefined
  const text = body.subarray(mechanism.length + 4).toString()
  const match = /^([ny],,)(n=[^,]*,r=([^,]+).*)$/.exec(text)
  return match ? { header: match[1]!, bare: match[2]!, nonce: match[3]! } : undefined
}
