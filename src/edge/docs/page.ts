import { hash } from 'node:crypto'
import { ERRORS } from '#contract/core/errors.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { type Html, html, render, unescaped } from '../pages/html.ts'
import type { Endpoint } from './example.ts'
import { LANGUAGES, operationArticle } from './operation.ts'
import { prose } from './schema.ts'
import { DOCS_SCRIPT } from './script.ts'
import { DOCS_STYLE } from './style.ts'

/**
 * Content security policy of the pages: nothing is loaded, and only the inline style sheet and the script with these
 * digests are used.
 */
export const DOCS_CSP = [
  "default-src 'none'",
  `script-src 'sha256-${hash('sha256', DOCS_SCRIPT, 'base64')}'`,
  `style-src 'sha256-${hash('sha256', DOCS_STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

type Group = { tag: string; title: string; description: string; endpoints: Endpoint[] }

/** The pages of the API documentation: the first one, and one for each group of operations, by its name. */
export type DocsPages = { readonly overview: string; readonly groups: ReadonlyMap<string, string> }

/** Renders the API documentation as HTML pages, which can be read and followed without their script. */
export function docsPages(doc: OpenApiDocument): DocsPages {
  const groups = groupsOf(doc)
  return {
    overview: pageOf(doc, { groups, main: [overview(doc, groups), errorSection()] }),
    groups: new Map(
      groups.map((group) => [group.tag, pageOf(doc, { groups, current: group, main: groupMain(group, doc) })]),
    ),
  }
}

type Parts = { readonly groups: readonly Group[]; readonly current?: Group; readonly main: Html | Html[] }

function pageOf(doc: OpenApiDocument, { groups, current, main }: Parts): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${current && `${current.title} · `}${doc.info.title} API ${doc.info.version}</title>
<style>${unescaped(DOCS_STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><p class="brand"><a href="/docs">${doc.info.title}</a> <span>API ${doc.info.version}</span></p></header>
${contents(groups, current)}
<main id="content" tabindex="-1">
${main}
</main>
<script>${unescaped(DOCS_SCRIPT)}</script>
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

/**
 * Names all operations, for the search, and shows those of the current group. The search and the choice of a language are
 * hidden until the script runs, so that nobody without scripts meets a field that does nothing.
 */
function contents(groups: readonly Group[], current: Group | undefined): Html {
  return html`<nav aria-label="Contents">
<div class="search" hidden>
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="found">
<p id="found" role="status"></p>
</div>
<div class="languages" role="group" aria-label="Language of the examples" hidden>
${LANGUAGES.map(([language, title]) => html`<button type="button" data-language="${language}">${title}</button> `)}
</div>
<ul>
<li><a href="/docs#basics">Basics</a></li>
<li><a href="/docs#errors">Errors</a></li>
${groups.map((group) => contentsGroup(group, group === current))}</ul>
</nav>`
}

function contentsGroup({ tag, title, endpoints }: Group, isCurrent: boolean): Html {
  return html`<li class="group"><a href="/docs/${tag}"${isCurrent && html` aria-current="page"`}>${title}</a>
<ul${!isCurrent && html` hidden`}>${endpoints.map((endpoint) => contentsItem(endpoint, tag))}</ul></li>
`
}

/** Path and name of the operation are found by the search and not shown, because the column is narrow. */
function contentsItem({ method, path, op }: Endpoint, tag: string): Html {
  const searched = `${method} ${path} ${op.operationId}`
  return html`<li data-search="${searched}"><a href="/docs/${tag}#${op.operationId}">${op.summary}</a></li>`
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
<p>For programs: the same as an <a href="/openapi.json">OpenAPI 3.1 document</a>.</p>
</section>`
}

function overview(doc: OpenApiDocument, groups: readonly Group[]): Html {
  return html`<h1>${doc.info.title} API</h1>
<p class="lead">${prose(doc.info.description)}</p>
${basics()}
<section aria-labelledby="areas-title">
<h2 id="areas-title">Areas</h2>
<ul class="areas">${groups.map(
    ({ tag, title, description, endpoints }) => html`<li><a href="/docs/${tag}">${title}</a>
<p>${prose(description)}</p>
<p class="count">${endpoints.length} ${endpoints.length === 1 ? 'operation' : 'operations'}</p></li>
`,
  )}</ul>
</section>`
}

function groupMain({ title, description, endpoints }: Group, doc: OpenApiDocument): Html {
  return html`<h1>${title}</h1>
<p class="lead">${prose(description)}</p>
${endpoints.map((endpoint) => operationArticle(endpoint, doc))}`
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
