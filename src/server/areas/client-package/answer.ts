import { matchesEtag } from '#edge/format/etag.ts'
import type { ClientPackage } from './package-bytes.ts'

/** Answers with `no-transform`, because a proxy that compresses the bytes again would break their digest. */
export function answer({ bytes, digest }: ClientPackage, ifNoneMatch: string | null, isImmutable: boolean): Response {
  const etag = `"${digest}"`
  const headers = {
    etag,
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable, no-transform' : 'no-cache, no-transform',
    'x-content-type-options': 'nosniff',
  }
  if (matchesEtag(ifNoneMatch, etag)) return new Response(null, { status: 304, headers })
  const length = String(bytes.byteLength)
  return new Response(new Uint8Array(bytes), {
    headers: { ...headers, 'content-type': 'application/gzip', 'content-length': length },
  })
}
