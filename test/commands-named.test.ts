import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faultsOf, findMentions, findOptions, isOptionOfAny } from '#test/rules/command-mentions.ts'
import type { Table } from '../src/cli/command/command.ts'
import { TABLE } from '../src/cli/commands.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGES = globSync(['README.md', 'docs/**/*.md', 'skills/**/*.md'], { cwd: ROOT }).sort()
/** Other texts for people who may have no checkout. */
const OTHER_TEXTS = globSync(
  ['CHANGELOG.md', 'SECURITY.md', 'examples/**/*.md', 'chart/**/*.{md,txt,yaml}', 'ops/**/*'],
  {
    cwd: ROOT,
    withFileTypes: true,
  },
)
  .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
  .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
/** Pages with commands to type for people who may have no `svc` yet. Skills are read where it is installed. */
const GUIDES = PAGES.filter((page) => !page.startsWith('skills/') && !page.startsWith('docs/decisions/'))
/** Lines that the program prints, not commands that people type. */
const SAYINGS = /^svc (?:ready at|cannot start)/

describe('CL-03 SK-06 the commands and options that pages mention exist', () => {
  it('the pages mention svc at all', () => {
    expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/cli.md', 'skills/svc/SKILL.md']))
    expect(mentionsIn('docs/cli.md').length).toBeGreaterThan(50)
    expect(mentionsIn('skills/svc/SKILL.md').length).toBeGreaterThan(5)
  })

  it.each(PAGES)('%s names only existing commands and options', (page) => {
    const faults = mentionsIn(page).flatMap(({ line, text }) =>
      faultsOf(text, TABLE).map((fault) => `${line}: ${fault}`),
    )
    expect(faults).toEqual([])
  })

  it.each(PAGES)('%s names options without a command only if some command has them', (page) => {
    const unknown = findOptions(read(page)).filter(({ text }) => !isOptionOfAny(text, TABLE))
    expect(unknown).toEqual([])
  })

  it.each(GUIDES)('CL-04 %s says how to get `svc` before it uses it', (page) => {
    expect(findUnexplainedName(read(page), page)).toBeUndefined()
  })

  it('a page that uses `svc` without saying how to get it is detected', () => {
    const link = '`svc` is [the client](cli.md#install).'
    expect(findUnexplainedName('Then `svc status`.', 'docs/a.md')).toBe('`svc status`')
    expect(findUnexplainedName(`\`\`\`sh\nsvc login\n\`\`\`\n${link}`, 'docs/a.md')).toBe('\nsvc login')
    expect(findUnexplainedName('```sh\npsql "$(svc db connect docs -q)"\n```', 'docs/a.md')).toBe('(svc db connect')
    expect(findUnexplainedName(`${link}\n\`\`\`sh\nsvc login\n\`\`\``, 'docs/a.md')).toBeUndefined()
  })

  it.each([...PAGES, ...OTHER_TEXTS])('CL-04 %s runs `npx svc` only in the steps of a checkout', (page) => {
    expect(findStrangers(read(page), page)).toEqual([])
  })

  it('`npx svc` outside the steps of a checkout is detected, because there it is a package of somebody else', () => {
    expect(findStrangers('# A\n\nRun `npx svc login`.', 'docs/a.md')).toEqual(['3: npx svc'])
    expect(findStrangers('# A\n\n`npx svc-server doctor`', 'docs/a.md')).toEqual(['3: npx svc-server'])
    expect(findStrangers('## In a checkout\n\n`npx svc`\n\n## Elsewhere\n\n`npx\nsvc`', 'docs/a.md')).toEqual([
      '7: npx svc',
    ])
    expect(findStrangers('## Try it\n\nnpx svc login\n\n## Guides\n\nnpx svc login', 'README.md')).toEqual([
      '7: npx svc',
    ])
    expect(findStrangers('npx skills add x', 'docs/a.md')).toEqual([])
    expect(findStrangers('npm install -g svc\nnpm i svc', 'docs/a.md')).toEqual([
      '1: npm install -g svc',
      '2: npm i svc',
    ])
  })

  it('SK-06 every command of the client is named in a skill', () => {
    const mentions = PAGES.filter((page) => page.startsWith('skills/')).flatMap((page) => mentionsIn(page))
    const isNamed = (path: string) => mentions.some(({ text }) => `${text} `.startsWith(`svc ${path} `))
    expect(TABLE.commands.map(({ path }) => path).filter((path) => !isNamed(path))).toEqual([])
  })

  it('a removed option is detected wherever it is mentioned', () => {
    const without: Table = {
      ...TABLE,
      commands: TABLE.commands.map((row) =>
        row.path === 'datasource query'
          ? { ...row, options: row.options!.filter(({ name }) => name !== 'filter') }
          : row,
      ),
    }
    const faults = PAGES.flatMap((page) => mentionsIn(page).flatMap(({ text }) => faultsOf(text, without)))
    expect(faults.length).toBeGreaterThan(2)
    expect(faults.every((fault) => fault.startsWith('no option --filter'))).toBe(true)
  })

  it('a removed command is detected too', () => {
    const without = { ...TABLE, commands: TABLE.commands.filter(({ path }) => path !== 'db connect') }
    const faults = PAGES.flatMap((page) => mentionsIn(page).flatMap(({ text }) => faultsOf(text, without)))
    expect(faults).toContainEqual(expect.stringMatching(/^no command svc db connect/))
  })
})

describe('finding what is said', () => {
  it.each([
    ['Ask with `svc datasource list -o json`.', ['svc datasource list -o json']],
    ['```sh\n$ npx svc login\npsql "$(svc db connect docs -q)" < x\n```', ['svc login', 'svc db connect docs -q']],
    ['```sh\nSVC_CONTEXT=a svc status | jq . && svc logout\n```', ['svc status', 'svc logout']],
    ['```sh\nsvc tokens create x > key.txt\n```', ['svc tokens create x']],
    ['```sh\nsvc login --api-url x \\\n  --api-key-stdin\n```', ['svc login --api-url x    --api-key-stdin']],
    ['svc is a thing; `helm upgrade svc …` is not it, nor is `kubectl -n svc get pods`.', []],
  ])('%j', (markdown, expected) => {
    expect(findMentions(markdown).map(({ text }) => text)).toEqual(expected)
  })

  it('options alone, in inline code only', () => {
    const found = findOptions('With `--top-k 3` or `-o json`, not `-2`.\n```sh\n--nope\n```')
    expect(found.map(({ line, text }) => [line, text, isOptionOfAny(text, TABLE)])).toEqual([
      [1, '--top-k 3', true],
      [1, '-o json', true],
    ])
    expect(isOptionOfAny('--nope', TABLE)).toBe(false)
  })

  it.each([
    ['svc datasource query db_a "how --fast is it" --top-k=3', []],
    ['svc context list|use|remove', []],
    ['svc skills install <id> [--user] [--force]', []],
    ['svc datasource', []],
    ['svc --help', []],
    ['svc db psql handbook -- -c "select 1"', []],
    ['svc nope', ['no command svc nope']],
    ['svc datasource ask', ['no command svc datasource ask']],
    ['svc db list --all', ['no option --all in: svc db list --all']],
    ['svc --nope', ['no option --nope in: svc --nope']],
  ])('%s', (text, faults) => {
    expect(faultsOf(text, TABLE)).toEqual(faults)
  })
})

/** The first command written as plain `svc` before the page has linked to how it is installed. */
function findUnexplainedName(markdown: string, page: string): string | undefined {
  if (page === 'docs/cli.md') return undefined
  const plain = /(?:`|^|\n|\()svc (?!ready at|cannot start)[a-z]+(?: [a-z]+)?`?/
  const explained = markdown.search(/\(cli\.md#(?:install|in-a-checkout)\)|\(docs\/cli\.md#install\)/)
  const before = explained === -1 ? markdown : markdown.slice(0, explained)
  const code = before.match(/`[^`\n]+`|```[\s\S]*?```/g) ?? []
  return code.map((text) => plain.exec(text)?.[0]).find((found) => found !== undefined)
}

/** Commands by which npm would fetch a package called `svc` from its registry: outside a checkout it is not ours. */
function findStrangers(markdown: string, page: string): string[] {
  return [
    ...markdown.matchAll(/\bnpx\s+svc(?:-server)?\b|\bnpm\s+(?:install|i)(?:\s+-\S+)*\s+svc(?:-server)?(?=[\s`"]|$)/g),
  ]
    .filter(({ index, 0: text }) => text.startsWith('npm') || !isOfCheckout(markdown.slice(0, index), page))
    .map(({ index, 0: text }) => `${markdown.slice(0, index).split('\n').length}: ${text.replace(/\s+/g, ' ')}`)
}

/** Whether the text ends in a section about a checkout. The README begins with one. */
function isOfCheckout(before: string, page: string): boolean {
  const heading = /^#+ ([^\n]*)(?![\s\S]*^#+ )/m.exec(before)?.[1] ?? ''
  return /checkout/i.test(heading) || (page === 'README.md' && heading === 'Try it')
}

function mentionsIn(page: string) {
  return findMentions(read(page)).filter(({ text }) => !SAYINGS.test(text))
}

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}
