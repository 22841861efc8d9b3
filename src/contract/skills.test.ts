import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Deploy } from './apps/deploys.ts'
import { ERRORS } from './core/errors.ts'
import { pathShape } from './core/operation.ts'
import { OPERATIONS } from './operations.ts'
import { bodyOfSkill, descriptionOfSkill, filesOfSkill, SKILL_NAMES, SKILLS } from './skills.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'skills')
const FILES = SKILL_NAMES.flatMap((name) => filesOfSkill(name).map((file) => `${name}/${file}`))
const DEPLOY_FAILURES = new Set<string>(Deploy.shape.failure_code.unwrap().options)
const VARIABLE = /^(?:SVC|XDG|NO)_|^DATABASE_URL$|^SERVER_API_TOKEN$/
const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8')

describe('the files of the skills', () => {
  it('SK-04 are those of the table, and no others: nine references each, none for the questions', () => {
    const there = globSync('*/**/*.md', { cwd: FOLDER }).map((path) => path.replaceAll('\\', '/'))
    expect(there.sort()).toEqual([...FILES].sort())
    expect(SKILLS.svc.references).toHaveLength(9)
    expect(SKILLS['svc-ai-gateway'].references).toHaveLength(9)
    expect(SKILLS['svc-faq'].references).toHaveLength(0)
  })

  it.each(FILES)('SK-05 %s is LF, plain text without odd bytes, and ends with one newline', (path) => {
    const text = read(path)
    expect(text).not.toContain('\r')
    expect(text.startsWith('\ufeff')).toBe(false)
    expect(text).toMatch(/[^\n]\n$/)
    expect(Buffer.from(text).equals(readFileSync(join(FOLDER, path)))).toBe(true)
  })

  it.each(SKILL_NAMES)('SK-06 %s names each of its references and no other, and stays short', (name) => {
    const entry = read(`${name}/SKILL.md`)
    const named = new Set([...entry.matchAll(/references\/[a-z-]+\.md/g)].map(([path]) => path))
    expect([...named].sort()).toEqual(filesOfSkill(name).slice(1).sort())
    expect(entry.split('\n').length).toBeLessThan(500)
    expect(entry.length).toBeLessThan(20_000)
  })

  it.each(FILES.filter((path) => path.includes('references/')))('SK-06 %s refers to files that are there', (path) => {
    const own = path.slice(0, path.indexOf('/'))
    for (const [reference] of read(path).matchAll(/(?<!svc-ai-gateway )references\/[a-z-]+\.md/g)) {
      expect(FILES).toContain(`${own}/${reference}`)
    }
  })

  it.each(FILES)('SK-06 %s names error codes, statuses, exits and paths as they are', (path) => {
    const text = read(path)
    const codes = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, code]) => code!)
    expect(codes.filter((code) => !(code in ERRORS) && !DEPLOY_FAILURES.has(code) && !VARIABLE.test(code))).toEqual([])
    for (const [, listed, statuses, exit] of text.matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \| ([\d, ]+) \| (\d+) \|/gm)) {
      for (const [, code] of listed!.matchAll(/`([A-Z_]+)`/g)) {
        const row = ERRORS[code as keyof typeof ERRORS]
        expect([code, statuses!.split(', ').map(Number).includes(row.status), row.exit]).toEqual([
          code,
          true,
          Number(exit),
        ])
      }
    }
    for (const [named] of text.matchAll(/(?<![\w.])\/(?:api|mcp|\.well-known)\/[\w/.<>{}-]*[\w>}]/g)) {
      const isServed = OPERATIONS.some((op) => op.path.startsWith(`${named}/`) || pathShape(op.path).test(named))
      expect(isServed, named).toBe(true)
    }
  })

  it('SK-04 frontmatter is read with and without quotes, and left out of the body', () => {
    expect(descriptionOfSkill('---\nname: a\ndescription: plain words\n---\n\n# A\n')).toBe('plain words')
    expect(descriptionOfSkill('---\nname: a\ndescription: "a \\"b\\": c"\n---\n')).toBe('a "b": c')
    expect(() => descriptionOfSkill('# A\ndescription: none\n')).toThrow('SKILL.md has no description')
    expect(bodyOfSkill('---\nname: a\n---\n\n# A\n')).toBe('# A\n')
  })
})
