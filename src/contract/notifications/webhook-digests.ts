/** Digests of the runtime. They are handed in, because the contract also runs in browsers, without `node:crypto`. */
export type Digests = {
  readonly sha256: (text: string) => Uint8Array
  /** Returns the HMAC-SHA-256 in lower-case hex or in base64. */
  readonly hmacSha256: (key: Uint8Array, message: string, encoding: 'hex' | 'base64') => string
}
