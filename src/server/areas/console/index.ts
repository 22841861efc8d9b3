import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { consoleAsset, consolePage } from '#contract/console.ts'
import { notFound } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/http/route.ts'

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

const ASSET = /^[\w-]+\.(?:js|css|svg)$/

/** Serves the built console from `folder`, or a page that says how to build it where there is none. */
export function createConsole({ folder }: { folder: string | undefined }): { readonly routes: readonly Route[] } {
  const routes = [
    route(consolePage, async () => {
      if (!folder) return new Response(NOT_BUILT, { headers: PAGE_HEADERS })
      return new Response(await readFile(join(folder, 'index.html')), { headers: PAGE_HEADERS })
    }),
    // The name of an asset contains a hash of its content, so browsers may cache it for good.
    route(consoleAsset, async ({ file }) => {
      const isAsset = folder && ASSET.test(file)
      const body = isAsset && (await readFile(join(folder, 'assets', file)).catch(() => undefined))
      if (!body) throw notFound()
      return new Response(body, {
        headers: {
          'content-type': TYPES[extname(file)]!,
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
        },
      })
    }),
  ]
  return { routes }
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><title>svc</title>
<h1>svc is running</h1>
<p>The console is not built. Run <code>npm run build</code>. The API reference is at <a href="/docs">/docs</a>.</p>
</html>
`
