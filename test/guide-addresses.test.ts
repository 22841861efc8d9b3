import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SERVED } from '../src/server/areas/guides/site/form.ts'
import { makeSite } from '../src/server/areas/guides/site/make-site.ts'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = globSync('src/**/*.{ts,tsx}', { cwd: ROOT }).filter((file) => !/\.test\.tsx?$/.test(file))
const site = await makeSite(ROOT, SERVED, '0.0.0')

describe('OP-11 what the programs print about guides', () => {
  it.each(['/guides/running#variables', '/guides/none', '/guides/running#none'])('%s is checked', (address) => {
    expect(isThere(address)).toBe(address === '/guides/running#variables')
  })

  it('every address of a guide leads to its page and heading', () => {
    const addresses = SOURCES.flatMap((file) => [...textOf(file).matchAll(/\/guides\/[a-z][a-z-]+(?:#[a-z0-9-]+)?/g)])
    const places = [...new Set(addresses.map(([address]) => address))].filter(
      (address) => !/\.(?:css|js)$/.test(address),
    )
    expect(places.length).toBeGreaterThan(5)
    expect(places.filter((address) => !isThere(address))).toEqual([])
  })

  it('no text names a file of the checkout, which people with a release do not have', () => {
    expect(SOURCES.filter((file) => /docs\/[a-z-]+\.md/.test(textOf(file)))).toEqual([])
  })
})

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
}

function isThere(address: string): boolean {
  const [name, heading] = address.slice('/guides/'.length).split('#')
  const page = site.get(`${name}.html`)
  return page !== undefined && (heading === undefined || page.includes(`id="${heading}"`))
}
