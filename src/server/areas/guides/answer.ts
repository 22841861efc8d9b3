import { hash } from 'node:crypto'
import { extname } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { chooseEncoding, type Encoding } from '#edge/format/encoding.ts'
import { matchesEtag } from '#edge/format/etag.ts'

/** Answers with a file of the site, or with undefined if there is none of this name. */
export type Answers = (file: string, request: Request, status: 200 | 404) => Response | undefined

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

const HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  vary: 'Accept-Encoding',
}

/** Compresses each file once, when a browser first asks for it in that form. */
export function createAnswers(site: ReadonlyMap<string, string>): Answers {
  // Weak, because the bytes differ with the encoding.
  const etags = new Map([...site].map(([file, text]) => [file, `W/"${hash('sha256', text)}"`]))
  const bodies = new Map<string, Uint8Array<ArrayBuffer>>()
  const bodyOf = (file: string, text: string, encoding: Encoding | undefined) => {
    const key = `${encoding} ${file}`
    const body = bodies.get(key) ?? compress(text, encoding)
    bodies.set(key, body)
    return body
  }
  return (file, request, status) => {
    const text = site.get(file)
    if (text === undefined) return undefined
    const etag = etags.get(file)!
    const headers = { ...HEADERS, etag }
    if (status === 200 && matchesEtag(request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers })
    const encoding = chooseEncoding(request.headers.get('accept-encoding'))
    return new Response(bodyOf(file, text, encoding), {
      status,
      headers: { ...headers, 'content-type': TYPES[extname(file)]!, ...(encoding && { 'content-encoding': encoding }) },
    })
  }
}

function compress(text: string, encoding: Encoding | undefined): Uint8Array<ArrayBuffer> {
  if (encoding === 'br') {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
    return new Uint8Array(brotliCompressSync(text, { params }))
  }
  return new Uint8Array(encoding === 'gzip' ? gzipSync(text) : Buffer.from(text))
}
