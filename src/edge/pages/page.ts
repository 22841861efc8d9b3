import { hash } from 'node:crypto'
import { type Html, html, render, unescaped } from './html.ts'
import { PAGE_STYLE } from './style.ts'

type Page = {
  title: string
  body: Html
  status?: number
  /** Origins that its form may be sent or redirected to besides our own (form-action policy). */
  formTargets?: readonly string[]
  cookies?: readonly string[]
  /** Address that the page redirects to at once, by a meta refresh. */
  refresh?: string
}

/** Returns a page that runs no script, loads nothing, and cannot be framed. */
export function pageResponse({ title, body, status = 200, formTargets = [], cookies = [], refresh }: Page): Response {
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': csp(formTargets),
    ...SAFE_HEADERS,
  })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(render(layout(title, body, refresh)), { status, headers })
}

const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

const STYLE_DIGEST = hash('sha256', PAGE_STYLE, 'base64')

function csp(formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_DIGEST}'`,
    "base-uri 'none'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Redirects with 303, so that a browser follows a submitted form with a GET. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, ...SAFE_HEADERS })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

function layout(title: string, body: Html, refresh: string | undefined): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">${
    refresh !== undefined &&
    html`
<meta http-equiv="refresh" content="0;url=${refresh}">`
  }
<title>${title} · svc</title>
<style>${unescaped(PAGE_STYLE)}</style>
</head>
<body>
<main>
<p class="brand">svc</p>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
}
