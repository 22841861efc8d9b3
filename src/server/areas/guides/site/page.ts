import { type Html, html, render, unescaped } from '#edge/pages/html.ts'
import { INDEX, type SiteForm } from './form.ts'
import type { Heading, RenderedGuide } from './markdown.ts'
import { type Navigation, navigation } from './navigation.ts'

type Page = {
  readonly title: string
  readonly main: Html
  /** Name of the guide; undefined for a page that is in no navigation. */
  readonly name?: string
  readonly headings?: readonly Heading[]
}

type Frame = { readonly form: SiteForm; readonly navigation: Navigation }

export function guidePage(name: string, guide: RenderedGuide, frame: Frame): string {
  const { title, headings, body } = guide
  return layout({ title, name, headings: headings.slice(1), main: unescaped(body) }, frame)
}

/** Lists all guides with their first sentence, in the groups of the navigation. */
export function indexPage(frame: Frame, version: string): string {
  const main = html`<h1>Guides</h1>
<p class="lead">How to use and run svc ${version}. Press <kbd>/</kbd> to search them.</p>
${frame.navigation.map(
  ({ label, entries }) => html`<section class="group"><h2>${label}</h2>
<ul class="cards">${entries.map(
    ({ name, title, lead }) =>
      html`<li><a href="${frame.form.pageAddress(name)}">${title}</a><p>${firstSentence(lead)}</p></li>
`,
  )}</ul></section>
`,
)}`
  return layout({ title: 'Guides', name: INDEX, main }, frame)
}

export function notFoundPage(frame: Frame): string {
  const main = html`<h1>No such guide</h1>
<p>The address is misspelt, or this version of svc has no such guide.</p>
<p><a href="${frame.form.pageAddress(INDEX)}">List all guides</a></p>`
  return layout({ title: 'No such guide', main }, frame)
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replace(/:$/, '.') ?? text
}

function layout({ title, name, main, headings = [] }: Page, { form, navigation: groups }: Frame): string {
  return render(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · svc</title>
<link rel="stylesheet" href="${form.fileAddress('guides.css')}">
<script src="${form.fileAddress('guides.js')}" data-index="${form.fileAddress('search-index.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header(form)}
<nav class="guides" aria-label="Guides">${navigation(groups, name, form)}</nav>
<main id="content" tabindex="-1">
${contents(headings, 'On this page', true)}
<article>
${main}
</article>
</main>
${contents(headings, 'Headings', false)}
</body>
</html>
`)
}

/** The search is hidden until its script runs, so that nobody without scripts meets a field that does nothing. */
function header({ pageAddress, parts }: SiteForm): Html {
  return html`<header>
<p class="brand"><a href="${pageAddress(INDEX)}">svc <span>Guides</span></a></p>
<div class="search" role="search" hidden>
<input id="search" type="search" placeholder="Search" aria-label="Search the guides" autocomplete="off" spellcheck="false" aria-controls="found">
<kbd aria-hidden="true">/</kbd>
<div class="results" hidden><p class="count" role="status"></p><ol class="found" id="found"></ol></div>
</div>
<ul class="parts">${parts.map(({ label, href }) => html`<li><a href="${href}">${label}</a></li>`)}</ul>
</header>`
}

/** Headings of the page: folded above the text on narrow screens, beside it on wide ones. */
function contents(headings: readonly Heading[], label: string, isFolded: boolean): Html {
  const shown = headings.filter(({ depth }) => depth <= 3)
  if (shown.length < 2) return html``
  const list = html`<ul>${shown.map(
    ({ id, text, depth }) => html`<li class="depth-${depth}"><a href="#${id}">${text}</a></li>`,
  )}</ul>`
  return isFolded
    ? html`<details class="contents above"><summary>${label}</summary>${list}</details>`
    : html`<nav class="contents beside" aria-label="${label}"><p>On this page</p>${list}</nav>`
}
