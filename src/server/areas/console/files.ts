import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { chooseEncoding, type Encoding } from '#edge/format/encoding.ts'

const SAFE_HEADERS = { 'x-content-type-options': 'nosniff', vary: 'Accept-Encoding' }

const PAGE_HEADERS = {
  ...SAFE_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Returns the page of the console, or undefined where it is not built. */
export async function indexResponse(folder: string | undefined, request: Request, status: number) {
  return folder === undefined ? undefined : fileResponse(join(folder, 'index.html'), request, PAGE_HEADERS, status)
}

/** Returns a script, style, font or image, or undefined if there is none of this name. */
export async function assetResponse(folder: string | undefined, file: string, request: Request) {
  const type = /^[\w-][\w.-]*$/.test(file) ? TYPES[extname(file)] : undefined
  if (folder === undefined || type === undefined) return undefined
  // The name contains a hash of the content, so that browsers may keep the file for good.
  const headers = { ...SAFE_HEADERS, 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }
  return fileResponse(join(folder, 'assets', file), request, headers, 200)
}

const SUFFIXES: Record<Encoding, string> = { br: '.br', gzip: '.gz' }

/** Sends the file as the build compressed it, in the best form that the browser takes; fonts have no such form. */
async function fileResponse(file: string, request: Request, headers: Record<string, string>, status: number) {
  const encoding = chooseEncoding(request.headers.get('accept-encoding'))
  const compressed = encoding && (await readOrNothing(`${file}${SUFFIXES[encoding]}`))
  const body = compressed ?? (await readOrNothing(file))
  if (!body) return undefined
  return new Response(body, { status, headers: { ...headers, ...(compressed && { 'content-encoding': encoding }) } })
}

async function readOrNothing(file: string) {
  try {
    return await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
