import { describe, expect, it } from 'vitest'
import { SERVED } from '../areas/guides/site/form.ts'
import { makeSite } from '../areas/guides/site/make-site.ts'
import { COMMAND_NAMES, helpFor } from './help.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
const site = await makeSite(ROOT, SERVED, '0.0.0')

describe('OP-12 svc-server --help', () => {
  it('without a command it lists all of them', () => {
    for (const name of COMMAND_NAMES) expect(helpFor(undefined)).toContain(`\n  svc-server ${name}`)
  })

  it.each(COMMAND_NAMES)('of %s shows that command alone, and a guide that exists', (name) => {
    const text = helpFor(name)
    const shown = [...text.matchAll(/^ {2}svc-server ([a-z-]+)/gm)].map(([, command]) => command)
    expect(new Set(shown)).toEqual(new Set([name]))
    const [, page, heading] = /\/guides\/([a-z-]+)#([a-z-]+)/.exec(text)!
    expect(site.get(`${page}.html`)).toContain(`id="${heading}"`)
  })
})
