import { LOOK } from '../pages/look.ts'

export const DOCS_STYLE = `${LOOK}
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
body {
  margin: 0; background: var(--surface); color: var(--ink); font: var(--text-large)/1.6 var(--font);
  display: grid; grid-template: auto 1fr / 16rem minmax(0, 1fr); min-height: 100vh;
}
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: .06em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 3px; }
main:focus { outline: none; }
code, pre { font-family: var(--mono); font-size: .875em; overflow-wrap: anywhere; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--surface); z-index: 1; }
.skip:focus { top: 1rem; }

header { grid-area: 1 / 1; padding: 2rem 1.5rem 0; }
.brand { margin: 0; font-weight: 650; }
.brand a { color: inherit; text-decoration: none; }
.brand span { color: var(--soft); font-weight: 400; font-size: .875rem; margin-left: .25rem; }
nav { grid-area: 2 / 1; padding: 1rem 1.5rem 2rem; align-self: start; position: sticky; top: 0; max-height: 100vh; overflow: auto; font-size: .9rem; }
[hidden] { display: none !important; }
.search { position: sticky; top: -1rem; padding-top: 1rem; margin-top: -1rem; background: var(--surface); }
.search label { display: block; font-weight: 550; }
.search input { width: 100%; padding: .35rem .5rem; font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: var(--radius); }
.search p { margin: .25rem 0 0; color: var(--soft); font-size: .8125rem; min-height: 1.3em; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .15rem 0; color: var(--soft); text-decoration: none; }
nav > ul > li > a { color: var(--ink); margin-top: .3rem; }
nav > ul > li > a[aria-current] { font-weight: 550; }
nav a[aria-current] { color: var(--accent); }
nav a:hover { color: var(--accent); text-decoration: underline; }
.languages { display: flex; gap: .25rem; margin: .25rem 0; }
.languages button { padding: .2rem .5rem; font: inherit; font-size: .8125rem; color: var(--soft); background: none; border: 1px solid var(--line); border-radius: var(--radius); cursor: pointer; }
.languages button[aria-pressed=true] { color: var(--ink); background: var(--raised); border-color: var(--accent); }
html[data-language] pre[data-language] { display: none; }
html[data-language=curl] pre[data-language=curl],
html[data-language=typescript] pre[data-language=typescript],
html[data-language=python] pre[data-language=python] { display: block; }
.areas { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: 1rem; }
.areas li { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: var(--radius); }
.areas a { font-weight: 550; }
.areas p { margin: .25rem 0 0; font-size: .9rem; }
.areas .count { color: var(--soft); font-size: .8125rem; }
nav li li { padding-left: .9rem; border-left: 1px solid var(--line); }

main { grid-area: 1 / 2 / 3; padding: 2rem clamp(1.25rem, 4vw, 4rem) 6rem; border-left: 1px solid var(--line); }
main > * { max-width: 50rem; }
h1, h2, h3 { text-wrap: balance; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .5rem; }
.lead { font-size: 1.125rem; color: var(--soft); margin: 0 0 1.5rem; }
h2 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; margin: 4rem 0 1rem; }
article > h2 { font-size: 1.1875rem; line-height: 1.35; letter-spacing: 0; margin: 0 0 .5rem; }
h3 { font-size: .9375rem; margin: 2rem 0 .5rem; display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; }
p { margin: .5rem 0; }
article { padding: 2.25rem 0; border-top: 1px solid var(--line); }
article:target > h2, tr:target { background: var(--attention-wash); }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { text-decoration: underline; }

.endpoint { margin: 0 0 1rem; padding: .5rem .75rem; background: var(--raised); border-radius: var(--radius); display: flex; gap: .75rem; align-items: baseline; }
.method { font: 650 .75rem/1.6 var(--mono); letter-spacing: .04em; color: var(--accent); }
.method.post { color: var(--success); } .method.put, .method.patch { color: var(--attention); } .method.delete { color: var(--failure); }
dl { margin: 1rem 0; font-size: .9375rem; }
dl > div { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: .1rem 1rem; padding: .2rem 0; }
dt { color: var(--soft); }
dd { margin: 0; }

table { width: 100%; border-collapse: collapse; font-size: .9375rem; table-layout: fixed; }
tr { border-top: 1px solid var(--line); }
tbody tr:last-child { border-bottom: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; padding: .5rem 0; font-weight: 400; }
col.name { width: 13rem; }
th[scope=row] { padding-right: 1rem; }
td p, th p { margin: .1rem 0 0; }
.errors th p { color: var(--soft); }
.required { color: var(--attention); font-size: .8125rem; white-space: nowrap; }
.optional { color: var(--soft); font-size: .8125rem; }
.type { color: var(--soft); }
.type code { color: var(--ink); white-space: nowrap; }
.limits { color: var(--soft); font-size: .8125rem; overflow-wrap: anywhere; }
.limits::before { content: '· '; }
.media, .status { font-weight: 400; color: var(--soft); font-size: .8125rem; font-family: var(--mono); }
.status { color: var(--success); }
details { margin: .5rem 0 .25rem; }
article > details { margin: .5rem 0 1.25rem; }
summary { cursor: pointer; color: var(--accent); font-size: .875rem; }
details > table { margin: .5rem 0 0; }
td details { padding-left: .9rem; border-left: 2px solid var(--line); }
td details col.name { width: 11rem; }
pre { margin: .5rem 0 0; padding: 1rem; background: var(--raised); border-radius: var(--radius); overflow-x: auto; line-height: 1.55; }
pre code { font-size: .8125rem; overflow-wrap: normal; }
.refusals { display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-family: var(--mono); font-size: .875rem; }
.errors thead { color: var(--soft); font-size: .8125rem; }
.errors td { font-family: var(--mono); font-size: .875rem; }
.errors thead th:not(:first-child) { width: 5rem; }

@media (max-width: 48rem) {
  body { display: block; }
  header { padding: 1.25rem 1.25rem 0; }
  nav { position: static; max-height: none; padding: .5rem 1.25rem 1rem; border-bottom: 1px solid var(--line); }
  nav > ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
  nav > ul > li > a { margin: 0; padding: .4rem 0; font-weight: 400; color: var(--accent); }
  nav:not(.searching) li ul { display: none; }
  main { border: 0; padding-top: 1.5rem; }
  h1 { font-size: 1.75rem; }
  h2 { margin-top: 3rem; }
  dl > div { grid-template-columns: 1fr; padding: .35rem 0; }
  table:not(.errors), table:not(.errors) :is(tbody, tr, th, td) { display: block; width: auto; }
  table:not(.errors) th { padding-bottom: 0; }
  table:not(.errors) td { padding-top: .1rem; }
  .errors thead th:not(:first-child) { width: 3.5rem; }
}
@media print { nav, .skip { display: none; } body { display: block; } main { border: 0; } }
`
