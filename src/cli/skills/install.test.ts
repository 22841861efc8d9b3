import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import type { Scope } from './agents.ts'
import { blockOf } from './block.ts'
import { type Bundle, loadBundle } from './bundle.ts'
import { install } from './install.ts'
import { digestsOfRelease } from './released.ts'

let root: string
let folder: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-skills-'))
  folder = join(root, 'project')
  await mkdir(folder)
})
afterEach(() => rm(root, { recursive: true }))

type Options = { bundle?: Bundle; scope?: Scope; force?: boolean; agents?: boolean; id?: string }

async function run({ bundle, scope = 'project', force = false, agents = true, id = 'svc' }: Options = {}) {
  return install(bundle ?? (await loadBundle()), id, { base: { folder, scope }, force, agents })
}

async function refused(options: Options = {}): Promise<ServiceError> {
  const before = await tree()
  const error = await run(options).then(
    () => new Error('nothing was refused'),
    (refusal: unknown) => refusal,
  )
  if (!(error instanceof ServiceError)) throw error
  expect(await tree(), 'a refusal changes nothing').toEqual(before)
  return error
}

const at = (path: string) => join(folder, path)
const read = (path: string) => readFile(at(path), 'utf8')

async function put(path: string, text: string | Buffer): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true })
  await writeFile(at(path), text)
}

async function tree(): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(await Promise.all(files.sort().map(async (file) => [file, await readFile(file, 'latin1')])))
}

/** The same skills at the next version: every file and block of today is what a release wrote. */
async function nextVersion(): Promise<Bundle> {
  const { skills } = await loadBundle()
  const newer = skills.map((skill) => ({
    ...skill,
    files: skill.files.map(({ path, text }) => ({ path, text: `${text}\nNew in the next version.\n` })),
  }))
  return { skills: newer, releases: { '0.1.0': digestsOfRelease(skills) } }
}

/** The next version has no `databases` reference any more. */
async function withoutDatabases(): Promise<Bundle> {
  const { skills, releases } = await nextVersion()
  const fewer = skills.map((skill) => ({ ...skill, files: skill.files.filter(({ path }) => path !== DATABASES) }))
  return { skills: fewer, releases }
}

const DATABASES = 'references/databases.md'
const [VANISHED, ITS_COPY] = [`.agents/skills/svc/${DATABASES}`, `.claude/skills/svc/${DATABASES}`] as const
const SKILL = '.agents/skills/svc/SKILL.md'

describe('svc skills install', () => {
  it('SK-02 writes ten files for each agent, and a block in AGENTS.md and GEMINI.md', async () => {
    const done = await run()
    expect(done.map(({ action }) => action)).toEqual(Array.from({ length: 22 }, () => 'written'))
    expect(Object.keys(await tree())).toHaveLength(22)
    for (const place of ['.agents', '.claude']) {
      expect(await readdir(at(`${place}/skills/svc`))).toEqual(['SKILL.md', 'references'])
      expect(await readdir(at(`${place}/skills/svc/references`))).toHaveLength(9)
    }
    expect(await read('AGENTS.md')).toBe(`${blockOf('svc', 'project')}\n`)
    expect(await read('GEMINI.md')).toBe(await read('AGENTS.md'))
  })

  it('SK-02 a second time touches nothing, not even a time', async () => {
    await run()
    const times = async () => {
      const paths = [
        SKILL,
        '.claude/skills/svc/references/databases.md',
        'AGENTS.md',
        'GEMINI.md',
        '.agents/skills/svc',
      ]
      return Promise.all(paths.map(async (path) => (await stat(at(path), { bigint: true })).mtimeNs))
    }
    const before = await times()
    const done = await run()
    expect(new Set(done.map(({ action }) => action))).toEqual(new Set(['unchanged']))
    expect(await times()).toEqual(before)
  })

  it('SK-02 with --no-agents no block is written', async () => {
    await run({ agents: false })
    expect(await readdir(folder)).toEqual(['.agents', '.claude'])
  })

  it('SK-02 an agent that looks elsewhere gets its own folder where it is in use', async () => {
    await mkdir(at('.windsurf'))
    await run({ agents: false })
    expect((await readdir(folder)).sort()).toEqual(['.agents', '.claude', '.windsurf'])
    expect(await read('.windsurf/skills/svc/SKILL.md')).toBe(await read(SKILL))
  })

  it('SK-02 in the home folder the agents in use are told in files of their own', async () => {
    await mkdir(at('.codex'))
    await mkdir(at('.cursor'))
    await run({ scope: 'user' })
    expect((await readdir(folder)).sort()).toEqual(['.agents', '.claude', '.codex', '.cursor'])
    expect(await read('.codex/AGENTS.md')).toBe(`${blockOf('svc', 'user')}\n`)
    const done = await run({ scope: 'user' })
    expect(done.every(({ action }) => action === 'unchanged')).toBe(true)
  })

  it('SK-02 an edited file is refused by name, with exit 6; --force replaces it', async () => {
    await run()
    const original = await read(SKILL)
    await put(SKILL, `${original}mine\n`)
    await put('.claude/skills/svc/references/databases.md', 'mine')
    const error = await refused()
    expect(error.code).toBe('CONFLICT')
    expect(error.errors).toEqual([
      { path: SKILL, message: 'was edited. Use --force to replace it' },
      { path: '.claude/skills/svc/references/databases.md', message: 'was edited. Use --force to replace it' },
    ])
    const done = await run({ force: true })
    expect(done.filter(({ action }) => action === 'written')).toHaveLength(2)
    expect(await read(SKILL)).toBe(original)
  })

  it('SK-02 files of an older release are replaced without --force, an edited one among them is not', async () => {
    await run()
    const bundle = await nextVersion()
    const done = await run({ bundle })
    expect(done.filter(({ action }) => action === 'written')).toHaveLength(20)
    expect(await read(SKILL)).toContain('New in the next version.')
    await put(SKILL, 'mine')
    expect((await refused({ bundle })).errors).toHaveLength(1)
  })

  it('SK-02 files that git turned to CRLF count as they are; replaced, they stay pure CRLF', async () => {
    await run()
    const crlf = (await read(SKILL)).replaceAll('\n', '\r\n')
    await put(SKILL, crlf)
    const done = await run()
    expect(done.every(({ action }) => action === 'unchanged')).toBe(true)
    expect(await read(SKILL)).toBe(crlf)
    await run({ bundle: await nextVersion() })
    expect(await read(SKILL)).toContain('New in the next version.\r\n')
    expect((await read(SKILL)).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('SK-02 files that the user added are never touched', async () => {
    await put('.agents/skills/svc/references/mine.md', 'mine')
    await put('.agents/skills/other/SKILL.md', 'other')
    await run({ force: true })
    expect(await read('.agents/skills/svc/references/mine.md')).toBe('mine')
    expect(await read('.agents/skills/other/SKILL.md')).toBe('other')
  })

  it('SK-02 no skill but those it carries', async () => {
    expect((await refused({ id: 'svc-faq' })).code).toBe('NOT_FOUND')
    expect((await refused({ id: '../svc' })).code).toBe('NOT_FOUND')
  })
})

describe('references that the new version does not have', () => {
  const changesOf = async (options: Options) =>
    (await run(options)).filter(({ action }) => action === 'removed' || action === 'kept')

  it('SK-02 are removed for each agent, also with CRLF, and a second time nothing is left to do', async () => {
    await run()
    await put(VANISHED, (await read(VANISHED)).replaceAll('\n', '\r\n'))
    const bundle = await withoutDatabases()
    expect(await changesOf({ bundle })).toEqual([
      { path: VANISHED, action: 'removed' },
      { path: ITS_COPY, action: 'removed' },
    ])
    expect(await readdir(at('.agents/skills/svc/references'))).toHaveLength(8)
    expect((await run({ bundle })).every(({ action }) => action === 'unchanged')).toBe(true)
  })

  it.each([false, true])('SK-02 stay and are named if they were edited, with --force %s', async (force) => {
    await run()
    await put(VANISHED, 'mine')
    expect(await changesOf({ bundle: await withoutDatabases(), force })).toEqual([
      { path: VANISHED, action: 'kept', why: 'was edited' },
      { path: ITS_COPY, action: 'removed' },
    ])
    expect(await read(VANISHED)).toBe('mine')
  })

  it('SK-02 stay if another file cannot be written', async () => {
    await run()
    await put(SKILL, 'mine')
    await refused({ bundle: await withoutDatabases() })
    expect(await readdir(at('.agents/skills/svc/references'))).toContain('databases.md')
  })

  it('SK-02 stay if they are links, wherever these lead', async () => {
    await run()
    await writeFile(join(root, 'outside.md'), await read(VANISHED))
    await put('inside.md', await read(VANISHED))
    for (const [path, to] of [
      [VANISHED, '../../../../../outside.md'],
      [ITS_COPY, '../../../../inside.md'],
    ] as const) {
      await rm(at(path))
      await symlink(to, at(path))
    }
    expect(await changesOf({ bundle: await withoutDatabases() })).toEqual([
      { path: VANISHED, action: 'kept', why: 'is a link that leads out of this folder' },
      { path: ITS_COPY, action: 'kept', why: 'is a link' },
    ])
    expect(await readFile(join(root, 'outside.md'), 'utf8')).toBe(await read('inside.md'))
  })

  it('SK-02 are removed once where a folder of skills is a link to another', async () => {
    await mkdir(at('.agents/skills'), { recursive: true })
    await mkdir(at('.claude'))
    await symlink('../.agents/skills', at('.claude/skills'))
    await run()
    expect(await changesOf({ bundle: await withoutDatabases() })).toEqual([{ path: VANISHED, action: 'removed' }])
  })

  it('SK-02 of the other skill, and names that no release had, are not looked at', async () => {
    await run()
    await put('.agents/skills/svc/references/embeddings-request.md', 'mine')
    const released = await readFile(join(import.meta.dirname, '../../../skills/svc/references/databases.md'), 'utf8')
    await put('.agents/skills/svc/references/other.md', released)
    expect(await changesOf({})).toEqual([])
  })
})

describe('AGENTS.md of the user', () => {
  it('SK-02 keeps every byte, its mode and its encoding', async () => {
    const before = Buffer.from('# Caf\xe9\r\nthat is Latin-1, not UTF-8', 'latin1')
    await put('AGENTS.md', before)
    await chmod(at('AGENTS.md'), 0o640)
    await run()
    const after = await readFile(at('AGENTS.md'))
    expect(after.subarray(0, before.length).equals(before)).toBe(true)
    expect((await stat(at('AGENTS.md'))).mode & 0o777).toBe(0o640)
  })

  it('SK-02 both skills have a block, and each is found again', async () => {
    await put('AGENTS.md', '# Mine\n')
    await run()
    await run({ id: 'svc-ai-gateway' })
    const both = `# Mine\n\n${blockOf('svc', 'project')}\n\n${blockOf('svc-ai-gateway', 'project')}\n`
    expect(await read('AGENTS.md')).toBe(both)
    expect((await run()).every(({ action }) => action === 'unchanged')).toBe(true)
  })

  it('SK-02 malformed markers are refused, and --force does not guess', async () => {
    await put('AGENTS.md', '# Mine\n<!-- BEGIN:svc-skill -->\nmy own words\n')
    for (const force of [false, true]) {
      const error = await refused({ force })
      expect(error.code).toBe('CONFLICT')
      expect(error.errors).toEqual([
        { path: 'AGENTS.md', message: 'has svc markers that are not one complete pair. Repair or delete them' },
      ])
    }
  })

  it('SK-02 words that the user put between the markers are not lost without --force', async () => {
    await run()
    const text = await read('AGENTS.md')
    await put('AGENTS.md', text.replace('Before you use', 'My words. Before you use'))
    expect((await refused()).errors![0]!.path).toBe('AGENTS.md')
    await run({ force: true })
    expect(await read('AGENTS.md')).toBe(text)
  })

  it('SK-02 text in UTF-16 is refused: what we add would ruin it', async () => {
    await put('AGENTS.md', Buffer.from('\ufeff# Mine\n', 'utf16le'))
    expect((await refused()).errors).toEqual([{ path: 'AGENTS.md', message: 'is not text in UTF-8' }])
  })
})

describe('links', () => {
  it('SK-02 a symlinked AGENTS.md stays a link, and its target is written', async () => {
    await put('docs/agents.md', '# Mine\n')
    await symlink('docs/agents.md', at('AGENTS.md'))
    await run()
    expect(await readlink(at('AGENTS.md'))).toBe('docs/agents.md')
    expect(await read('docs/agents.md')).toBe(`# Mine\n\n${blockOf('svc', 'project')}\n`)
  })

  it('SK-02 GEMINI.md as a link to AGENTS.md gets one block', async () => {
    await put('AGENTS.md', '# Mine\n')
    await symlink('AGENTS.md', at('GEMINI.md'))
    await run()
    expect(await read('AGENTS.md')).toBe(`# Mine\n\n${blockOf('svc', 'project')}\n`)
    expect((await run()).every(({ action }) => action === 'unchanged')).toBe(true)
  })

  it('SK-02 a folder of skills that is a link to another is written once', async () => {
    await mkdir(at('.agents/skills'), { recursive: true })
    await mkdir(at('.claude'))
    await symlink('../.agents/skills', at('.claude/skills'))
    expect(await run()).toHaveLength(12)
    expect((await run()).every(({ action }) => action === 'unchanged')).toBe(true)
    expect(await readlink(at('.claude/skills'))).toBe('../.agents/skills')
  })

  it.each([
    ['a file', '../outside.md', 'AGENTS.md'],
    ['a folder', '..', '.agents'],
  ])('SK-02 %s that leads out of the project is refused, also with --force', async (_, to, link) => {
    await writeFile(join(root, 'outside.md'), 'mine')
    await symlink(to, at(link))
    for (const force of [false, true]) {
      expect((await refused({ force })).errors![0]!.message).toBe('is a link that leads out of this folder')
    }
    expect((await readdir(root)).sort()).toEqual(['outside.md', 'project'])
    expect(await readFile(join(root, 'outside.md'), 'utf8')).toBe('mine')
  })

  it('SK-02 links to nothing and to themselves, and files in the place of folders, are refused', async () => {
    await symlink('nowhere.md', at('AGENTS.md'))
    await symlink('GEMINI.md', at('GEMINI.md'))
    await put('.claude', 'a file')
    const { errors } = await refused()
    const messages = new Map(errors!.map(({ path, message }) => [path, message]))
    expect(messages.get('AGENTS.md')).toBe('is a link to nothing')
    expect(messages.get('GEMINI.md')).toBe('is a link that leads to itself')
    expect(messages.get('.claude/skills/svc/SKILL.md')).toBe('has a file where a folder is needed')
  })
})
