import { hash } from 'node:crypto'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

export type HmacSha256 = (message: string | Uint8Array) => Buffer

/**
 * Computes HMAC-SHA-256 (RFC 2104) under one key, for what is signed or digested in every request. It takes two one-shot
 * hashes, because `createHmac` sets up a context of OpenSSL for each message, which takes about a third longer.
 */
export function createHmacSha256(key: Uint8Array): HmacSha256 {
  const innerBlock = blockOf(key, 0x36)
  const outer = Buffer.concat([blockOf(key, 0x5c), Buffer.alloc(DIGEST_BYTES)])
  return (message) => {
    const length = typeof message === 'string' ? Buffer.byteLength(message) : message.length
    const inner = Buffer.allocUnsafe(BLOCK_BYTES + length)
    inner.set(innerBlock)
    if (typeof message === 'string') inner.write(message, BLOCK_BYTES)
    else inner.set(message, BLOCK_BYTES)
    outer.set(hash('sha256', inner, 'buffer'), BLOCK_BYTES)
    return hash('sha256', outer, 'buffer')
  }
}

/** The key, filled up with zeros to one block and combined with the byte of its pad. A longer key is hashed first. */
function blockOf(key: Uint8Array, pad: number): Buffer {
  const short = key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key
  const block = Buffer.alloc(BLOCK_BYTES, pad)
  // Without an iterator, because a webhook's key is set up anew for each of its messages.
  for (let i = 0; i < short.length; i++) block[i] = short[i]! ^ pad
  return block
}
