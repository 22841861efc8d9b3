import { hash } from 'node:crypto'
import { ERRORS } from '#contract/core/errors.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { type Html, html, render, unescaped } from '../pages/html.ts'
import type { Endpoint } from './curl.ts'
import { operationArticle } from './operation.ts'
import { prose } from './schema.ts'
import { SEARCH_SCRIPT } from './search-script.ts'
import { DOCS_STYLE } from './style.ts'

/**
 * Content security policy of the page: nothing is loaded, and only the inline style sheet and the script of the search
 * with these digests are used.
 */
export const DOCS_CSP = [
  "default-src 'none'",
  `script-src 'sha256-${hash('sha256', SEARCH_SCRIPT, 'base64')}'`,
  `style-src 'sha256-${hash('sha256', DOCS_STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

type Group = { tag: string; title: string; description: string; endpoints: Endpoint[] }

/** Renders the API documentation as one HTML page, which can be read and followed without its script. */
export function docsPage(doc: OpenApiDocument): string {
  const groups = groupsOf(doc)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${doc.info.title} API ${doc.info.version}</title>
<style>${unescaped(DOCS_STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><p class="brand"><a href="#top" id="top">${doc.info.title}</a> <span>API ${doc.info.version}</span></p></header>
${contents(groups)}
<main id="content" tabindex="-1">
<h1>${doc.info.title} API</h1>
<p class="lead">${prose(doc.info.description)}</p>
${basics()}
${groups.map((group) => groupSection(group, doc))}
${errorSection()}
</main>
<script>${unescaped(SEARCH_SCRIPT)}</script>
</body>
</html>
`
  return render(page)
}

function groupsOf(doc: OpenApiDocument): Group[] {
  const all: Endpoint[] = Object.entries(doc.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, op]) => ({ method: method.toUpperCase(), path, op })),
  )
  return doc.tags.map(({ name, 'x-displayName': title, description }) => ({
    tag: name,
    title,
    description,
    endpoints: all.filter(({ op }) => op.tags[0] === name),
  }))
}

/** The search is hidden until its script runs, so that nobody without scripts meets a field that does nothing. */
function contents(groups: readonly Group[]): Html {
  return html`<nav aria-label="Contents">
<div class="search" hidden>
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="found">
<p id="found" role="status"></p>
</div>
<ul>
<li><a href="#basics">Basics</a></li>
${groups.map(
  ({ tag, title, endpoints }) => html`<li class="group"><a href="#tag-${tag}">${title}</a>
<ul>${endpoints.map(contentsItem)}</ul></li>
`,
)}<li><a href="#errors">Errors</a></li>
</ul>
</nav>`
}

/** Path and name of the operation are found by the search and not shown, because the column is narrow. */
function contentsItem({ method, path, op }: Endpoint): Html {
  const searched = `${method} ${path} ${op.operationId}`
  return html`<li data-search="${searched}"><a href="#${op.operationId}">${op.summary}</a></li>`
}

const BASICS: readonly (readonly [string, string])[] = [
  ['Tokens', 'Send `Authorization: Bearer <token>` with an API token or the token of a signed-in user.'],
  ['Formats', 'Answers are JSON or YAML as `Accept` asks: `application/json` or `application/yaml`. Bodies are JSON.'],
  ['Unknown keys', 'A key that is not listed here is refused with 400, never ignored.'],
  ['Lists', 'Newest first. `limit` is at most 100; pass `next_cursor` as `cursor` until it is null.'],
  ['Repeating a write', 'Where `Idempotency-Key` is taken, a repetition gets the first answer and changes nothing.'],
  ['Times', 'RFC 3339 in UTC, with milliseconds. Units stand at the end of a name: `duration_ms`.'],
]

function basics(): Html {
  return html`<section id="basics" aria-labelledby="basics-title">
<h2 id="basics-title">Basics</h2>
<dl class="basics">${BASICS.map(([name, words]) => html`<div><dt>${name}</dt><dd>${prose(words)}</dd></div>`)}</dl>
<p>For programs: the same as an <a href="openapi.json">OpenAPI 3.1 document</a>.</p>
</section>`
}

function groupSection({ tag, title, description, endpoints }: Group, doc: OpenApiDocument): Html {
  return html`<section id="tag-${tag}" aria-labelledby="tag-${tag}-title">
<h2 id="tag-${tag}-title">${title}</h2>
<p>${prose(description)}</p>
${endpoints.map((endpoint) => operationArticle(endpoint, doc))}</section>
`
}

function errorSection(): Html {
  const rows = Object.entries(ERRORS).sort(([, a], [, b]) => a.status - b.status)
  return html`<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>${prose('A refusal is a problem document (RFC 9457): `type`, `title`, `status`, `detail`, and a stable `code` to decide by. Several faults come together in `errors`, each with its `path`. “Exit” is the exit code of the command line client.')}</p>
<table class="errors" aria-label="Error codes">
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Exit</th></tr></thead>
<tbody>${rows.map(([code, row], index) => errorRow(code, row, rows[index - 1]?.[1].status !== row.status))}</tbody></table>
</section>`
}

function errorRow(
  code: string,
  { status, exit, title }: { status: number; exit: number; title: string },
  first: boolean,
) {
  return html`<tr${first && html` id="status-${status}"`}><th scope="row"><code>${code}</code><p>${title}</p></th><td>${status}</td><td>${exit}</td></tr>
`
}
