import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
/** Every guide, except the list of promises, which speaks of the commands that its tests run. */
const GUIDES = globSync(['README.md', 'SECURITY.md', 'docs/*.md'], { cwd: ROOT, exclude: ['docs/promises.md'] }).sort()

/** Commands and files that only a checkout has. The package of a release is installed with `npm ci --prefix`. */
const NEEDS_CHECKOUT =
  /\bnpm (?:start|run)\b|\bnpm ci(?! --prefix)|\bnpx (?!skills)[a-z]|bin\/start\.js|\bnode (?:scripts|examples|bench)\/|\.\/chart\b|\bpodman build\b|\bdocker compose up\b|\]\(\.\.\/(?!CHANGELOG|SECURITY|README)/

describe('OP-12 a reader of a guide who has a release and no checkout', () => {
  it.each(GUIDES)('%s says of everything that needs a checkout that it does', (page) => {
    expect(findUnmarked(readFileSync(join(ROOT, page), 'utf8'))).toEqual([])
  })

  it.each([
    ['Stop it, then `npm ci && npm start`.', ['Stop it, then `npm ci && npm start`.']],
    ['In a checkout: `npm ci && npm start`.', []],
    ['## Working in a checkout\n\n`npm run build`', []],
    ['## In a checkout\n\nText.\n\n## Elsewhere\n\n`npx svc`', ['`npx svc`']],
    ['In a checkout:\n\n```sh\nnpm start\n```', []],
    ['Then:\n\n```sh\nnpm start\n```', ['```sh\nnpm start\n```']],
    ['`npm ci --prefix svc-server`', []],
  ])('%j', (markdown, unmarked) => {
    expect(findUnmarked(markdown)).toEqual(unmarked)
  })
})

/** Blocks that need a checkout, while neither they, the block before code or a list, nor their section says so. */
function findUnmarked(markdown: string): string[] {
  const unmarked: string[] = []
  let [isMarkedSection, isMarkedBefore] = [false, false]
  for (const block of markdown.split(/\n{2,}/)) {
    const isMarked = /checkout/i.test(block)
    if (block.startsWith('#')) isMarkedSection = /checkout/i.test(block.split('\n')[0]!)
    const isAllowed = isMarked || isMarkedSection || (/^(?:```|- )/.test(block) && isMarkedBefore)
    if (!isAllowed && NEEDS_CHECKOUT.test(block)) unmarked.push(block)
    isMarkedBefore = isMarked
  }
  return unmarked
}
