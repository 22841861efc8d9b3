import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { descriptionOfSkill, filesOfSkill, INSTALLABLE_SKILLS, SKILL_NAMES } from '#contract/skills.ts'
import { type System, startSystem } from '#test/system.ts'
import packageJson from '../../package.json' with { type: 'json' }

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')
const SKILLS_CLI = join(ROOT, 'node_modules', 'skills', 'bin', 'cli.mjs')
const SKILLS_REF = join(ROOT, 'node_modules', 'skills-ref', 'dist', 'cli.js')

/** Clients that nobody here wrote, against the running product. */
describe('skills for agents', () => {
  let system: System
  let home: string
  beforeAll(async () => {
    system = await startSystem()
    home = await mkdtemp(join(tmpdir(), 'svc-skills-'))
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await rm(home, { recursive: true, force: true })
  })

  /** Quiet and on its own: no home of ours, no calls elsewhere, nobody to ask. */
  async function node(folder: string, ...args: string[]): Promise<string> {
    const cwd = join(home, folder)
    await mkdir(cwd, { recursive: true })
    const env = { PATH: process.env.PATH, HOME: home, DISABLE_TELEMETRY: '1', DO_NOT_TRACK: '1', CI: '1' }
    const started = run(process.execPath, args, { cwd, env })
    started.child.stdin?.end()
    return (await started).stdout
  }

  it('SK-05 the client `skills` installs from here, and writes to the byte what `svc skills install` writes', async () => {
    await node('by-skills', SKILLS_CLI, 'add', system.url, '--skill', '*', '-a', 'claude-code', '--copy', '-y')
    for (const name of INSTALLABLE_SKILLS) await node('by-svc', join(ROOT, 'bin', 'svc.js'), 'skills', 'install', name)
    for (const name of INSTALLABLE_SKILLS) {
      const theirs = await tree(join(home, 'by-skills', '.claude', 'skills', name))
      const ours = await tree(join(home, 'by-svc', '.claude', 'skills', name))
      expect([...ours.keys()].sort()).toEqual(filesOfSkill(name).sort())
      expect(theirs).toEqual(ours)
      expect(await tree(join(home, 'by-svc', '.agents', 'skills', name))).toEqual(ours)
    }
    const faq = await tree(join(home, 'by-skills', '.claude', 'skills', 'svc-faq'))
    expect([...faq.keys()]).toEqual(['SKILL.md'])
  })

  it('SK-04 it finds all three and records our digests', async () => {
    expect(await node('by-skills', SKILLS_CLI, 'add', system.url, '--list')).toMatch(/svc-ai-gateway[\s\S]*svc-faq/)
    const index = (await (await fetch(`${system.url}/.well-known/agent-skills/index.json`)).json()) as {
      skills: { name: string; digest: string }[]
    }
    const lock = await readFile(join(home, 'by-skills', 'skills-lock.json'), 'utf8')
    for (const { digest } of index.skills) expect(lock).toContain(digest.replace('sha256:', ''))
  })

  it.each(SKILL_NAMES)('SK-04 skills-ref finds %s valid, and its version is that of the client', async (name) => {
    const folder = join(ROOT, 'skills', name)
    expect(await node('by-ref', SKILLS_REF, 'validate', folder)).toBe(`Valid skill: ${folder}\n`)
    const entry = await readFile(join(folder, 'SKILL.md'), 'utf8')
    expect(entry).toContain(`\nmetadata:\n  version: "${packageJson.version}"\n`)
    const read = await node('by-ref', SKILLS_REF, 'read-properties', folder)
    expect((JSON.parse(read) as { description: string }).description).toBe(descriptionOfSkill(entry))
  })
})

async function tree(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const pairs = files.map(async (file) => [relative(folder, file), await readFile(file, 'base64')] as const)
  return new Map((await Promise.all(pairs)).sort(([a], [b]) => (a < b ? -1 : 1)))
}
