import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Boot } from './boot.tsx'

it('CO-06 the page shows the same frame before and after its scripts are there', () => {
  const html = readFileSync(join(import.meta.dirname, '..', 'index.html'), 'utf8')
  expect(html).toContain(`<div id="root">${renderToStaticMarkup(<Boot />)}</div>`)
})
