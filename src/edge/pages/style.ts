import { LOOK } from './look.ts'

/** The style sheet of small pages: one card, readable on a phone, with a dark mode. */
export const PAGE_STYLE = `${LOOK}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1.25rem;
  background: var(--ground); color: var(--ink); font: var(--text-large)/1.55 var(--font);
}
main { width: 100%; max-width: 25rem; padding: 2rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.brand { margin: 0 0 1.5rem; font-weight: 650; color: var(--soft); }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: .9375rem; }
.fault { padding: .625rem .75rem; border-radius: var(--radius); color: var(--failure); background: var(--failure-wash); }
.fault:focus { outline: none; }
.ways { display: grid; gap: .625rem; margin: 1.5rem 0 0; padding: 0; list-style: none; }
.button {
  display: block; width: 100%; padding: .6875rem 1rem; border: 1px solid var(--line); border-radius: var(--radius);
  background: var(--surface); color: var(--ink); font: inherit; font-weight: 550; text-align: center; text-decoration: none; cursor: pointer;
}
.button:hover { border-color: var(--accent); }
.button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.button.main:hover { background: var(--accent-hover); border-color: var(--accent-hover); }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
form { display: grid; gap: .5rem; margin: 1.25rem 0 0; }
label { font-weight: 550; }
input { width: 100%; padding: .625rem .75rem; border: 1px solid var(--line-strong); border-radius: var(--radius); background: var(--sunken); color: var(--ink); font: 1rem/1.4 var(--mono); }
form .button { margin-top: .5rem; }
select { width: 100%; padding: .625rem .75rem; border: 1px solid var(--line-strong); border-radius: var(--radius); background: var(--sunken); color: var(--ink); font: inherit; }
fieldset { display: grid; gap: .375rem; margin: .5rem 0; padding: 0; border: 0; }
legend { margin-bottom: .375rem; padding: 0; font-weight: 550; }
.tick { display: flex; gap: .625rem; align-items: baseline; font-weight: 400; }
.tick input { width: auto; flex: none; }
dl { display: grid; gap: .125rem; margin: 1rem 0; }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0 0 .5rem; overflow-wrap: anywhere; font-weight: 550; }
.warning { padding: .625rem .75rem; border: 1px solid var(--line); border-radius: var(--radius); font-size: .9375rem; }
code { font: .875em/1.4 var(--mono); overflow-wrap: anywhere; }
.line { border-top: 1px solid var(--line); }
.opens { color: var(--accent); text-decoration: underline; text-underline-offset: .2em; }
summary::marker { color: var(--accent); }
summary { padding: .375rem 0; cursor: pointer; overflow-wrap: anywhere; }
pre { margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .875rem/1.5 var(--mono); }
@media (max-width: 30rem) { body { padding: 0; place-items: stretch; } main { max-width: none; border: 0; border-radius: 0; padding: 2rem 1.25rem; } }
`
